import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'rolldown';

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Child {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
}

export interface Children<Task> {
  start(task: Task): Child;
  remove(): void;
}

/** Bundles a script for the Node that runs the tests, which need not know TypeScript. It gets its task as JSON. */
export async function buildChildren<Task>(script: string): Promise<Children<Task>> {
  const folder = mkdtempSync(path.join(tmpdir(), 'storectl-children-'));
  const file = path.join(folder, 'child.mjs');
  await build({
    input: script,
    platform: 'node',
    logLevel: 'warn',
    output: { file, format: 'esm', codeSplitting: false },
  });
  return {
    start(task) {
      const child = spawn(process.execPath, [file, JSON.stringify(task)], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const output = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const) {
        child[name].on('data', (chunk) => {
          output[name] += chunk;
        });
      }
      const ended = once(child, 'close').then(([code, signal]) => ({ ...output, code, signal }));
      return { process: child, ended };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
