import { nodeFloor, quickSamples } from '../lib/node-floor.mjs';
import { findOnPath, program, timeOf } from '../lib/processes.mjs';

/** Comparable programs, if they are installed. */
const others = ['gh', 'wrangler', 'vercel', 'netlify', 'heroku', 'stripe'];

function startRow(name, args, atMost, peerArgs = []) {
  return {
    name,
    what: `\`storectl ${args.join(' ')}\`; \`node -e 0\``,
    unit: 'ms',
    perRound: quickSamples,
    goals: () => [{ of: 'ratio', atMost }],
    async prepare({ node, env }) {
      const installed = peerArgs.length === 0 ? [] : others.filter((other) => findOnPath(other) !== null);
      const peers = installed.map((other) => [
        `${other} ${peerArgs.join(' ')}`,
        () => timeOf(findOnPath(other), peerArgs, { env }),
      ]);
      return {
        subject: () => timeOf(node, [program, ...args], { env }),
        floor: nodeFloor({ node, env }),
        peers: Object.fromEntries(peers),
      };
    },
  };
}

export const startRows = [
  startRow('start: --version', ['--version'], 1.3, ['--version']),
  startRow('start: --help', ['--help'], 1.5, ['--help']),
  startRow('start: help of a command', ['backup', 'create', '--help'], 1.5),
];
