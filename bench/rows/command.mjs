import path from 'node:path';
import { addLongHistory } from '../lib/long-history.mjs';
import { quickSamples } from '../lib/node-floor.mjs';
import { addOldRuns } from '../lib/old-runs.mjs';
import {
  findOnPath,
  outputOf,
  peakMemoryOf,
  processorTimeOf,
  program,
  root,
  timeOf,
} from '../lib/processes.mjs';
import { answerServer, startService, storeOf } from '../lib/scene.mjs';

const backup = [program, 'backup', 'create', '--label', 'x', '--sections', 'store', '--json'];
const bareFetch = path.join(root, 'bench', 'bare', 'bare-fetch.mjs');

const roundTrip = {
  name: 'command: backup create',
  what: '`storectl backup create --json`, recorded and synced, one round trip; a bare script with `fetch`',
  unit: 'ms',
  perRound: quickSamples,
  // Node 20 compiles its own fetch with a slow compiler; later ones do not.
  goals: (node) => [{ of: 'ratio', atMost: node < 22 ? 0.55 : 1.1 }],
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
  what: 'most memory of `storectl backup create --json`; a bare script with `fetch`',
  unit: 'MiB',
  perRound: quickSamples,
  goals: () => [{ of: 'ratio', atMost: 1 }],
  async prepare(place) {
    const server = await answerServer(place);
    const env = { ...place.env, ...storeOf(server) };
    return {
      subject: () => peakMemoryOf(place.node, backup, { env }),
      floor: () => peakMemoryOf(place.node, [bareFetch, `${server.origin}/v1`], { env }),
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

const oldRuns = {
  name: 'command: 10000 old runs',
  what: '`storectl backup create --json` with 10 000 runs older than two days in the history; with none',
  unit: 'ms',
  perRound: quickSamples,
  goals: () => [{ of: 'ratio', atMost: 1.15 }],
  async prepare(place) {
    const server = await answerServer(place);
    const at = (state) => ({
      ...place.env,
      ...storeOf(server),
      STORECTL_STATE_DIR: path.join(place.folder, state),
    });
    const [long, short] = [at('long'), at('short')];
    for (const env of [long, short]) await timeOf(place.node, backup, { env });
    addOldRuns(path.join(long.STORECTL_STATE_DIR, 'history'), 10_000);
    return {
      subject: () => timeOf(place.node, backup, { env: long }),
      floor: () => timeOf(place.node, backup, { env: short }),
      end: server.stop,
    };
  },
};

const update = (name) => [program, 'store', 'update', '--name', name, '--json'];

/** A command with a history of years and a busy day before it, and with a short history. */
const longHistory = (name, makeArgs) => ({
  name: `command: long history, ${name}`,
  what: `processor time of \`storectl ${name}\` with 300 000 records in the history (3 000 logs, a third of them \`store.update\`, 10 000 records of yesterday); with 300`,
  unit: 'ms',
  perRound: quickSamples,
  goals: () => [{ of: 'ratio', atMost: 1.5 }],
  async prepare(place) {
    const service = await startService(place);
    const at = (state) => ({
      ...place.env,
      ...storeOf(service),
      STORECTL_STATE_DIR: path.join(place.folder, state),
    });
    const sizes = { long: { logs: 3000, recent: 100 }, short: { logs: 3, recent: 0 } };
    for (const [state, size] of Object.entries(sizes)) {
      const env = at(state);
      const settings = [program, 'settings', 'save', '--quiet-hours-start', '21:00'];
      for (const args of [update('A'), backup, settings]) await timeOf(place.node, args, { env });
      addLongHistory(path.join(env.STORECTL_STATE_DIR, 'history'), { ...size, recordsEach: 100 });
    }
    const measure = (state) =>
      processorTimeOf(place.node, makeArgs(place.node, at(state)), { env: at(state) });
    return { subject: () => measure('long'), floor: () => measure('short'), end: service.stop };
  },
});

const longHistories = [
  longHistory('store update', () => update('B')),
  longHistory('undo ID', (node, env) => {
    outputOf(node, update('C'), { env });
    const [{ id }] = JSON.parse(
      outputOf(node, [program, 'history', 'list', '--limit', '1', '--json'], { env }),
    );
    return [program, 'undo', id, '--json'];
  }),
  longHistory('backup create', () => backup),
];

export const commandRows = [roundTrip, memory, demo, oldRuns, ...longHistories];
