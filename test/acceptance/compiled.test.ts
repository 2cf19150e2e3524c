import { cpSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { launcher, newProgramMachine, type ProgramMachine, testNode } from '../helpers/program.ts';

/** A machine with a copy of the program, and nothing compiled. */
function newCopy() {
  const machine = newProgramMachine();
  for (const name of ['bin', 'dist', 'package.json']) {
    cpSync(path.join(launcher, '..', '..', name), path.join(machine.folder, name), { recursive: true });
  }
  symlinkSync(path.resolve('node_modules'), path.join(machine.folder, 'node_modules'));
  const inCopy = (line: string, cacheFolder = path.join(machine.folder, 'cache')) =>
    machine.shell(`XDG_CACHE_HOME='${cacheFolder}' '${testNode}' bin/storectl.js ${line}`);
  return { machine, inCopy };
}

/** Names of what is kept, and numbers that change when a file is written anew. */
function keptFiles({ folder }: ProgramMachine): string[] {
  const cache = path.join(folder, 'cache');
  const names = readdirSync(cache, { recursive: true, encoding: 'utf8' });
  return names.map((name) => `${statSync(path.join(cache, name)).ino} ${name}`).sort();
}

test('what a run has compiled is kept, and the next run answers the same with it', async () => {
  const { machine, inCopy } = newCopy();
  // Talks to a service, as it has to on Node 20 to change a flag of V8.
  const first = await inCopy('--demo settings show --json');
  const kept = keptFiles(machine);
  const second = await inCopy('--demo settings show --json');

  expect(first).toMatchObject({ exitCode: 0 });
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
