import path from 'node:path';
import { quickSamples } from '../lib/node-floor.mjs';
import { findOnPath, peakMemoryOf, program, root, timeOf } from '../lib/processes.mjs';
import { answerServer, startService, storeOf } from '../lib/scene.mjs';

const backup = [program, 'backup', 'create', '--label', 'x', '--sections', 'store', '--new', '--json'];
const bareFetch = path.join(root, 'bench', 'bare', 'bare-fetch.mjs');

const roundTrip = {
  name: 'command: backup create',
  what: '`storectl backup create --json`, recorded and synced, one round trip; a bare script with `fetch`',
  unit: 'ms',
  perRound: quickSamples,
  // Node 20 compiles its own fetch with a slow compiler; later ones do not.
  goals: (node) => [{ of: 'ratio', atMost: node < 22 ? 0.75 : 1.1 }],
  async prepare(place) {
    const server = await answerServer(place);
    const env = { ...place.env, ...storeOf(server) };
    const url = `${server.origin}/v1`;
    const curl = findOnPath('curl');
    // What bin/compiled.js gains.
    const compilesAnew = { ...env, NODE_DISABLE_COMPILE_CACHE: '1' };
    return {
      subject: () => timeOf(place.node, backup, { env }),
      floor: () => timeOf(place.node, [bareFetch, url], { env }),
      peers: {
        'nothing kept compiled': () => timeOf(place.node, backup, { env: compilesAnew }),
        ...(curl !== null && { curl: () => timeOf(curl, ['-s', '-d', '{"label":"x"}', url], { env }) }),
      },
      end: server.stop,
    };
  },
};

const memory = {
  name: 'command: memory',
  what: 'most memory of `storectl backup create --json`; `node -e 0`',
  unit: 'MiB',
  perRound: quickSamples,
  goals: () => [{ of: 'ratio', atMost: 1.5 }],
  async prepare(place) {
    const server = await answerServer(place);
    const env = { ...place.env, ...storeOf(server) };
    return {
      subject: () => peakMemoryOf(place.node, backup, { env }),
      floor: () => peakMemoryOf(place.node, ['-e', '0'], { env }),
      end: server.stop,
    };
  },
};

const show = ['settings', 'show', '--json'];

const demo = {
  name: 'command: --demo',
  what: '`storectl --demo settings show --json`; the same at a running service',
  unit: 'ms',
  perRound: quickSamples,
  goals: () => [{ of: 'ratio', atMost: 2.5 }],
  async prepare(place) {
    const service = await startService(place);
    return {
      subject: () => timeOf(place.node, [program, '--demo', ...show], place),
      floor: () => timeOf(place.node, [program, ...show], { env: { ...place.env, ...storeOf(service) } }),
      end: service.stop,
    };
  },
};

export const commandRows = [roundTrip, memory, demo];
