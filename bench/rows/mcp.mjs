import { spawn } from 'node:child_process';
import path from 'node:path';
import { nodeFloor, quickSamples } from '../lib/node-floor.mjs';
import { program, root } from '../lib/processes.mjs';

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
};

/** Milliseconds from before a server is started to its answer to `initialize`. */
function timeToInitialize(node, args, env) {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const child = spawn(node, args, { env, cwd: root, stdio: ['pipe', 'pipe', 'ignore'] });
    let ms = 0;
    child.once('error', reject);
    child.stdout.once('data', () => {
      ms = performance.now() - start;
      child.stdin.end();
    });
    child.once('close', (code) =>
      code === 0 && ms > 0 ? resolve(ms) : reject(new Error(`${args.join(' ')} ended with ${code}`)),
    );
    child.stdin.write(`${JSON.stringify(initialize)}\n`);
  });
}

export const mcpRows = [
  {
    name: 'mcp: initialize',
    what: '`storectl mcp` until it has answered `initialize`; a bare server of the same package, and twice `node -e 0`',
    unit: 'ms',
    perRound: quickSamples,
    goals: () => [{ of: 'ratio', atMost: 1 }],
    async prepare({ node, env }) {
      const bare = path.join(root, 'bench', 'bare', 'mcp-server.mjs');
      const empty = nodeFloor({ node, env });
      return {
        subject: () => timeToInitialize(node, [program, 'mcp'], env),
        floor: async () => (await timeToInitialize(node, [bare], env)) + 2 * (await empty()),
      };
    },
  },
];
