import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'rolldown';
import type { ChildTask } from './child.ts';

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

interface Child {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
}

export interface Children {
  start(task: ChildTask): Child;
  /** The same in a shell that first runs this, for example `ulimit -f 0`. */
  startLimited(limit: string, task: ChildTask): Child;
  remove(): void;
}

/** Bundles child.ts for the Node that runs the tests, which need not know TypeScript. */
export async function buildChildren(): Promise<Children> {
  const folder = mkdtempSync(path.join(tmpdir(), 'storectl-children-'));
  await build({
    input: path.join(import.meta.dirname, 'child.ts'),
    platform: 'node',
    logLevel: 'warn',
    output: { dir: folder, format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: '[name]-[hash].cjs' },
  });
  const script = path.join(folder, 'child.cjs');
  return {
    start: (task) => watch(spawn(process.execPath, [script, JSON.stringify(task)])),
    startLimited: (limit, task) =>
      watch(spawn('sh', ['-c', `${limit}; exec "$@"`, 'sh', process.execPath, script, JSON.stringify(task)])),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function watch(child: ChildProcess): Child {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ stdout, stderr, code, signal }));
  return { process: child, ended };
}
