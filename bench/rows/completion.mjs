import path from 'node:path';
import { nodeFloor, quickSamples } from '../lib/node-floor.mjs';
import { addOldRuns } from '../lib/old-runs.mjs';
import { findOnPath, program, root, timeOf } from '../lib/processes.mjs';
import { answerServer, storeOf } from '../lib/scene.mjs';

const unit = 'ms';
const perRound = quickSamples;

/** Number of records. */
const historySize = 1_000;

/** What bash does when Tab is pressed, in a new bash. `NODE` is the Node that is measured. */
const pressTab = `storectl() { exec "$NODE" '${program}' "$@"; }
source '${path.join(root, 'completions', 'storectl.bash')}'
COMP_LINE='storectl backup create --' COMP_POINT=25 COMP_CWORD=3 COMP_WORDS=(storectl backup create --)
_storectl storectl && printf '%s\\n' "\${COMPREPLY[@]}" | grep -q -e --sections`;

const words = {
  name: 'completion: flags',
  what: 'Tab after `storectl backup create --` in bash; `node -e 0`',
  unit,
  perRound,
  goals: () => [{ of: 'ratio', atMost: 1.6 }],
  async prepare({ node, env }) {
    const bash = findOnPath('bash');
    if (bash === null) return null;
    return {
      subject: () => timeOf(bash, ['--norc', '--noprofile', '-c', pressTab], { env: { ...env, NODE: node } }),
      floor: nodeFloor({ node, env }),
    };
  },
};

const ids = {
  name: 'completion: ids',
  what: `ids of backups in a history of ${historySize} records after \`storectl backup restore \`; \`node -e 0\``,
  unit,
  perRound,
  goals: () => [{ of: 'value', atMost: 100 }],
  async prepare(place) {
    const server = await answerServer(place);
    const env = { ...place.env, ...storeOf(server) };
    const args = ['backup', 'create', '--label', 'x', '--sections', 'store', '-q'];
    await timeOf(place.node, [program, ...args], { env });
    await server.stop();
    addOldRuns(path.join(env.STORECTL_STATE_DIR, 'history'), historySize - 1, (line, run) =>
      line.replaceAll('5d2f6f3e8a11', String(run).padStart(12, '0')),
    );
    return {
      subject: () => timeOf(place.node, [program, '__complete', 'fish', 'backup', 'restore', ''], { env }),
      floor: nodeFloor(place),
    };
  },
};

export const completionRows = [words, ids];
