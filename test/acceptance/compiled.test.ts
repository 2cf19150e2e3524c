import { chmodSync, cpSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
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

function keptPaths({ folder }: ProgramMachine): string[] {
  const cache = path.join(folder, 'cache');
  const names = readdirSync(cache, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.js')).map((name) => path.join(cache, name));
}

test('what a run has compiled is kept, and the next run answers the same with it', async () => {
  const { machine, inCopy } = newCopy();
  // Talks to a service, as it has to on Node 20 to change a flag of V8.
  const first = await inCopy('--demo settings show --json');
  const kept = keptFiles(machine);
  const second = await inCopy('--demo settings show --json');

  expect(first).toMatchObject({ exitCode: 0 });
  expect(kept.some((file) => file.endsWith('.js'))).toBe(true);
  expect(second).toEqual(first);
  expect(keptFiles(machine)).toEqual(kept);
});

test('V8 takes what is kept, also after a run that has changed its flags', async () => {
  const { machine, inCopy } = newCopy();
  const posts = ['one.md', 'two.md'];
  for (const name of posts) writeFileSync(path.join(machine.folder, name), `# ${name}\n\nText.\n`);
  const { exitCode } = await inCopy(`--demo blog create ${posts.join(' ')}`);
  const kept = keptPaths(machine);
  // As bin/compiled.js loads it at a start.
  writeFileSync(
    path.join(machine.folder, 'refused.cjs'),
    `const { readdirSync, readFileSync } = require('node:fs');
    const { basename } = require('node:path');
    const { Script } = require('node:vm');
    const built = readdirSync('dist', { recursive: true });
    for (const file of process.argv.slice(2)) {
      const name = basename(file);
      const source = readFileSync('dist/' + built.find((path) => basename(path) === name), 'utf8');
      const code = '(function (exports, require, module, __filename, __dirname) {' + source + '\\n})';
      if (new Script(code, { cachedData: readFileSync(file).subarray(0, -4) }).cachedDataRejected) console.log(name);
    }`,
  );
  const refused = await machine.shell(
    `'${testNode}' refused.cjs ${kept.map((file) => `'${file}'`).join(' ')}`,
  );

  expect(exitCode).toBe(0);
  expect(kept.some((file) => path.basename(file).startsWith('undici'))).toBe(true);
  expect(refused).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
});

test('what another build has compiled is not used, also where its files are of the same length', async () => {
  const { machine, inCopy } = newCopy();
  const chunks = path.join(machine.folder, 'dist', 'chunks');
  const before = await inCopy('profile list');
  for (const name of readdirSync(chunks).map((chunk) => path.join(chunks, chunk))) {
    writeFileSync(name, readFileSync(name, 'utf8').replaceAll('No profiles yet', 'NO PROFILES YET'));
  }
  writeFileSync(path.join(machine.folder, 'dist', 'build-id'), 'another');

  expect(before.stderr).toContain('No profiles yet');
  expect((await inCopy('profile list')).stderr).toContain('NO PROFILES YET');
});

test('where nothing can be kept the program runs as well', async () => {
  const { inCopy } = newCopy();

  expect(await inCopy('profile list', '/dev/null/cache')).toEqual(await inCopy('profile list'));
});

test('a flipped bit anywhere is noticed, and the file is written again', async () => {
  const { machine, inCopy } = newCopy();
  const answer = await inCopy('profile list --json');
  const whole = new Map(keptPaths(machine).map((file) => [file, readFileSync(file)]));
  const places = 12;
  for (let place = 0; place < places; place += 1) {
    const damaged = new Map<string, Buffer>();
    for (const [file, content] of whole) {
      const copy = Buffer.from(content);
      // From the first byte to the last, which is one of the checksum.
      const at = Math.floor((place * (copy.length - 1)) / (places - 1));
      copy.writeUInt8(copy.readUInt8(at) ^ (1 << (place % 8)), at);
      writeFileSync(file, copy);
      damaged.set(file, copy);
    }
    expect(await inCopy('profile list --json'), `place ${place}`).toEqual(answer);
    // What is damaged is written anew.
    for (const [file, copy] of damaged) expect(readFileSync(file).equals(copy)).toBe(false);
  }
  expect(whole.size).toBeGreaterThan(0);
}, 120_000);

test('what another user may have written is not used', async () => {
  const { machine, inCopy } = newCopy();
  const answer = await inCopy('profile list --json');
  const [first = ''] = keptPaths(machine);
  chmodSync(path.dirname(first), 0o777);
  for (const file of keptPaths(machine)) writeFileSync(file, 'planted');

  expect(await inCopy('profile list --json')).toEqual(answer);
  expect(keptPaths(machine).map((file) => readFileSync(file, 'utf8'))).toContain('planted');
});

test('of builds that have been replaced only the last few are kept', async () => {
  const { machine, inCopy } = newCopy();
  for (const build of 'abcdefghijkl') {
    writeFileSync(path.join(machine.folder, 'dist', 'build-id'), build);
    expect(await inCopy('profile list --json')).toMatchObject({ exitCode: 0 });
  }
  const builds = new Set(keptPaths(machine).map((file) => path.dirname(file)));

  expect([...builds].map((folder) => folder.split('-').at(-2)).sort()).toEqual([...'cdefghijkl']);
}, 120_000);
