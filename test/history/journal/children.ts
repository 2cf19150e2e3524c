import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'rolldown';
import type { ChildTask } from './child.ts';

export interface Child {
  readonly process: ChildProcess;
  readonly ended: Promise<{ readonly stdout: string; readonly stderr: string; readonly code: number | null }>;
}

export interface Children {
  start(task: ChildTask): Child;
  remove(): void;
}

/** Bundles child.ts for the Node that runs the tests, which need not know TypeScript. */
export async function buildChildren(): Promise<Children> {
  const folder = mkdtempSync(path.join(tmpdir(), 'storectl-children-'));
  const file = path.join(folder, 'child.mjs');
  await build({
    input: path.join(import.meta.dirname, 'child.ts'),
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
      return { process: child, ended: once(child, 'close').then(([code]) => ({ ...output, code })) };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
