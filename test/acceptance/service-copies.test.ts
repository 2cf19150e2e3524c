import { existsSync, lstatSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createStore } from '../../src/service/index.ts';
import { type ProgramMachine, programLine } from '../helpers/program.ts';
import { setScene } from '../helpers/scene.ts';

/** The commands of the person who runs the service, and the file of a copy. */
function operatorOn(machine: ProgramMachine) {
  const run = (...args: string[]) => machine.run(['service', ...args]);
  const copy = path.join(machine.folder, 'copy.db');
  const storesIn = async (file: string) =>
    (await run('stores', 'list', '-q', '--limit', '100000', '--database', file)).stdout.trim().split('\n')
      .length;
  return { run, copy, storesIn };
}

test('a copy is made while the service runs: whole, private, and never over a file', async () => {
  const { service, machine } = await setScene({ built: true });
  const { databaseFile: database } = service;
  const { run, copy, storesIn } = operatorOn(machine);
  const made = await run('backup', 'copy.db', '--database', database);
  expect(made).toMatchObject({
    exitCode: 0,
    stderr: expect.stringMatching(/^✓ Copied .*\nIt was checked: 1 store, changes until /),
  });
  expect((statSync(copy).mode & 0o777).toString(8)).toBe('600');
  await createStore(service.storage, { name: 'Later' });
  expect([await storesIn(copy), await storesIn(database)]).toEqual([1, 2]);

  const size = statSync(copy).size;
  expect(await run('backup', copy, '--database', database)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('copy.db exists'),
  });
  expect(statSync(copy).size).toBe(size);
  expect(readdirSync(machine.folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('a restore makes a new database, and is refused over a newer one and one that is in use', async () => {
  const { service, machine } = await setScene({ built: true });
  const { databaseFile: database } = service;
  const { run, copy, storesIn } = operatorOn(machine);
  expect((await run('backup', copy, '--database', database)).exitCode).toBe(0);
  const fresh = path.join(machine.folder, 'fresh.db');
  expect((await run('restore', copy, '--database', fresh)).exitCode).toBe(0);
  expect(await storesIn(fresh)).toBe(1);
  expect((statSync(fresh).mode & 0o777).toString(8)).toBe('600');

  expect(await run('restore', copy, '--database', database)).toMatchObject({
    exitCode: 11,
    stderr: expect.stringContaining('stop the service'),
  });
  expect((await run('stores', 'create', '--name', 'Latest', '--database', fresh)).exitCode).toBe(0);
  const refused = await run('restore', copy, '--database', fresh);
  expect(refused.stderr).toMatch(/is newer than the copy: it has changes until .*\n.*move it away/);
  expect(refused.exitCode).toBe(6);
  expect(await storesIn(fresh)).toBe(2);
  expect(service.storeId).not.toBe('');
});

test('what a restore replaces is kept beside it', async () => {
  const { service, machine } = await setScene({ built: true });
  const { databaseFile: database } = service;
  const { run, copy, storesIn } = operatorOn(machine);
  const old = path.join(machine.folder, 'old.db');
  expect((await run('stores', 'create', '--name', 'Old', '--database', old)).exitCode).toBe(0);
  expect((await run('stores', 'create', '--name', 'New', '--database', database)).exitCode).toBe(0);
  expect((await run('backup', copy, '--database', database)).exitCode).toBe(0);
  const { stdout } = await run('restore', copy, '--database', old, '--json');
  const { replaced } = JSON.parse(stdout);
  expect([await storesIn(old), await storesIn(replaced)]).toEqual([2, 1]);
});

test('a file that is no copy, and PostgreSQL, are refused with what to do', async () => {
  const { service, machine } = await setScene({ built: true });
  const { databaseFile: database } = service;
  const { run } = operatorOn(machine);
  const garbage = path.join(machine.folder, 'garbage.db');
  writeFileSync(garbage, 'x'.repeat(5_000));
  const fresh = path.join(machine.folder, 'fresh.db');
  expect((await run('restore', garbage, '--database', fresh)).exitCode).toBe(11);
  expect((await run('restore', path.join(machine.folder, 'none.db'), '--database', fresh)).exitCode).toBe(11);
  expect(existsSync(fresh)).toBe(false);
  expect(await run('backup', 'x.db', '--database', 'postgres://h/d')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('use pg_dump'),
  });
  expect((await run('backup', database, '--database', database)).exitCode).toBe(2);
});

test('a name that is mistyped makes no file', async () => {
  const { service, machine } = await setScene({ built: true });
  const { run, copy } = operatorOn(machine);
  const none = path.join(machine.folder, 'none.db');
  const folder = path.join(machine.folder, 'none');
  for (const [args, missing] of [
    [['backup', copy, '--database', none], none],
    [['restore', none, '--database', copy], none],
    [['backup', path.join(folder, 'copy.db'), '--database', service.databaseFile], folder],
    [['restore', service.databaseFile, '--database', path.join(folder, 'new.db')], folder],
  ] as const) {
    const { exitCode, stderr } = await run(...args);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 11,
      stderr: `error: ${missing} does not exist\n  check the names of both files\n`,
    });
  }
  expect(readdirSync(machine.folder).filter((name) => /none|copy/.test(name))).toEqual([]);
});

test('a restore replaces what a symbolic link leads to, and a backup never follows one', async () => {
  const { service, machine } = await setScene({ built: true });
  const { run, copy, storesIn } = operatorOn(machine);
  const old = path.join(machine.folder, 'old.db');
  const linked = path.join(machine.folder, 'linked.db');
  expect((await run('stores', 'create', '--name', 'Old', '--database', old)).exitCode).toBe(0);
  expect((await run('stores', 'create', '--name', 'New', '--database', service.databaseFile)).exitCode).toBe(
    0,
  );
  expect((await run('backup', copy, '--database', service.databaseFile)).exitCode).toBe(0);
  symlinkSync(old, linked);
  const { replaced } = JSON.parse((await run('restore', copy, '--database', linked, '--json')).stdout);
  expect(lstatSync(linked).isSymbolicLink()).toBe(true);
  expect(path.dirname(replaced)).toBe(path.dirname(old));
  expect([await storesIn(linked), await storesIn(old), await storesIn(replaced)]).toEqual([2, 2, 1]);

  const dangling = path.join(machine.folder, 'dangling.db');
  symlinkSync('nowhere.db', dangling);
  expect(await run('backup', dangling, '--database', old)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining(`error: ${dangling} exists\n`),
  });
});

test('copies that are made while others write are whole, and one that has no room leaves nothing', async () => {
  const { service, machine } = await setScene({ built: true });
  const { run, storesIn } = operatorOn(machine);
  let isDone = false;
  const writing = (async () => {
    for (let number = 0; !isDone; number++) await createStore(service.storage, { name: `Store ${number}` });
  })();
  const counts: number[] = [];
  for (const name of ['one.db', 'two.db', 'three.db']) {
    const made = await run('backup', name, '--database', service.databaseFile, '--json');
    counts.push(JSON.parse(made.stdout).stores);
    expect(await storesIn(path.join(machine.folder, name))).toBe(counts.at(-1));
  }
  isDone = true;
  await writing;
  expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  expect(new Set(counts).size).toBe(3);

  const full = await machine.shell(
    `ulimit -f 100; ${programLine} service backup full.db --database '${service.databaseFile}'`,
  );
  expect(full).toMatchObject({
    exitCode: 11,
    stderr: expect.stringMatching(/^error: cannot copy the database: /),
  });
  expect(readdirSync(machine.folder).filter((name) => name.includes('full.db'))).toEqual([]);
});
