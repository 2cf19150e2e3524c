import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { launcher, newProgramMachine, type ProgramMachine, testNode } from '../helpers/program.ts';

/** A machine with a copy of the program, and nothing compiled. */
function newCopy() {
  const machine = newProgramMachine();
  for (const name of ['bin', 'dist', 'package.json']) {
    cpSync(path.join(launcher, '..', '..', name), path.join(machine.folder, name), { recursive: true });
  }
  const inCopy = (line: string, cacheFolder = path.join(machine.folder, 'cache')) =>
    machine.shell(`XDG_CACHE_HOME='${cacheFolder}' '${testNode}' bin/storectl.js ${line}`);
  return { machine, inCopy };
}

function keptFiles({ folder }: ProgramMachine): string[] {
  return readdirSync(path.join(folder, 'cache'), { recursive: true, encoding: 'utf8' });
}

test('what a run has compiled is kept, and the next run answers the same with it', async () => {
  const { machine, inCopy } = newCopy();
  const first = await inCopy('profile list --json');
  const kept = keptFiles(machine);
  const second = await inCopy('profile list --json');

  expect(first).toMatchObject({ exitCode: 0, stderr: '' });
  expect(kept.some((file) => file.endsWith('storectl.js'))).toBe(true);
  expect(second).toEqual(first);
  expect(keptFiles(machine)).toEqual(kept);
});

test('what another build has compiled is not used, also where its files are of the same length', async () => {
  const { machine, inCopy } = newCopy();
  const before = await inCopy('--version');
  const change = (file: string, edit: (text: string) => string) => {
    const name = path.join(machine.folder, 'dist', file);
    writeFileSync(name, edit(readFileSync(name, 'utf8')));
  };
  change('chunks/storectl.js', (text) => text.replaceAll(before.stdout.trim(), '7.7.7'));
  change('build-id', (id) => `${id.slice(0, -4)}zzzz`);

  expect((await inCopy('--version')).stdout).toBe('7.7.7\n');
});

test('where nothing can be kept the program runs as well', async () => {
  const { inCopy } = newCopy();

  expect(await inCopy('--version', '/dev/null/cache')).toMatchObject({ exitCode: 0, stderr: '' });
});
