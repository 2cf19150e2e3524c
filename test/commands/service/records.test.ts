import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { machineFor, newMachine } from '../../helpers/cli.ts';
import { rowsOf } from '../../helpers/rows.ts';
import { startService } from '../../helpers/service.ts';
import { typed } from '../../helpers/typed.ts';

/** A store that the operator has just made, and the machines of the operator and of the owner. */
async function makeOutlet() {
  const service = await startService();
  const machine = newMachine();
  const database = ['--database', service.databaseFile];
  const run = (...args: string[]) => machine.run(['service', ...args, ...database]);
  const storeId = (await run('stores', 'create', '--name', 'Outlet', '-q')).stdout.trim();
  const apiKey = (await run('keys', 'create', '--store', storeId, '-q')).stdout.trim();
  const owner = machineFor({ origin: service.origin, storeId, apiKey });
  const dispute = await owner.run(['disputes', 'open', '--reason', 'Not received', '-q']);
  return { service, machine, run, storeId, owner, disputeId: dispute.stdout.trim() };
}

test('a reclaim notice of the operator reaches the store and can be appealed', async () => {
  const { run, storeId, owner, service } = await makeOutlet();
  const args = ['--store', storeId, '--subdomain', 'outlet', '--reason', 'Registered trade mark'];
  const added = await run('reclaims', 'add', ...args, '--json');
  expect(added.stderr).toMatch(/^✓ Added a reclaim notice for outlet to store /);
  const notice = JSON.parse(added.stdout);
  expect(notice).toMatchObject({ subdomain: 'outlet', status: 'noticed', appealText: null });

  const appeal = await owner.run(
    typed`reclaim appeal ${notice.id} --confirm ${notice.id} --text 'Ours since 2019' --json`,
  );
  expect(appeal.exitCode).toBe(0);
  expect(JSON.parse(appeal.stdout)).toMatchObject({ reclaimId: notice.id, status: 'appealed' });
  const events = await service.storage.read((db) =>
    db.selectFrom('events').select(['type', 'body']).where('storeId', '=', storeId).execute(),
  );
  expect(events).toContainEqual({ type: 'reclaim_noticed', body: 'outlet: Registered trade mark' });

  const quiet = await run('reclaims', 'add', ...args, '-q');
  expect(quiet).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^[0-9a-f-]{36}\n$/),
    stderr: '',
  });
});

test('evidence of the operator is shown with the dispute: a text, a file, a key of a file', async () => {
  const { machine, run, storeId, owner, disputeId } = await makeOutlet();
  writeFileSync(path.join(machine.folder, 'mails.txt'), 'From: a\nWhere is it?\n');
  const add = (...args: string[]) =>
    run('evidence', 'add', '--store', storeId, '--dispute', disputeId, ...args);
  const first = await add('--kind', 'tracking_number', '--label', 'Parcel', '--text', '0034');
  expect(first).toMatchObject({ exitCode: 0, stderr: `✓ Added evidence "Parcel" to dispute ${disputeId}\n` });
  expect(first.stdout).toContain('0034');
  const file = path.join(machine.folder, 'mails.txt');
  const second = await add('--kind', 'email_thread', '--label', 'Mails', '--text-file', file, '--json');
  expect(JSON.parse(second.stdout)).toMatchObject({ kind: 'email_thread', submittedBy: 'operator' });
  const third = await add('--kind', 'photo', '--label', 'Door', '--storage-key', 'door.jpg', '-q');
  expect(third.stderr).toBe('');

  const shown = await owner.run(['disputes', 'show', disputeId, '--json']);
  expect(JSON.parse(shown.stdout).evidence).toMatchObject([
    { kind: 'tracking_number', label: 'Parcel', textValue: '0034' },
    { kind: 'email_thread', label: 'Mails', textValue: 'From: a\nWhere is it?\n' },
    { id: third.stdout.trim(), kind: 'photo', storageKey: 'door.jpg' },
  ]);
});

test('an error names the flag that is missing or invalid, and nothing is added', async () => {
  const { run, storeId, owner, disputeId } = await makeOutlet();
  const evidence = ['evidence', 'add', '--store', storeId, '--kind', 'photo', '--label', 'x'];
  const cases: [string[], number, RegExp][] = [
    [['reclaims', 'add'], 3, /--store ID[\s\S]*--subdomain NAME[\s\S]*--reason TEXT/],
    [['keys', 'create'], 3, /\n {2}pass --store ID, or run the command in a terminal to be prompted\n$/],
    [['evidence', 'add', '--kind', 'photo'], 3, /--store ID[\s\S]*--dispute ID[\s\S]*--label TEXT/],
    [
      ['reclaims', 'add', '--store', storeId, '--subdomain', 'A b', '--reason', 'x'],
      2,
      /--subdomain must be/,
    ],
    [
      ['reclaims', 'add', '--store', 'nobody', '--subdomain', 'a', '--reason', 'x'],
      5,
      /^error: Store nobody not found\n {2}check --store and --database\n$/,
    ],
    [[...evidence, '--dispute', 'nobody'], 5, /^error: Dispute nobody not found\n/],
    [
      [...evidence, '--dispute', disputeId, '--text', 'x', '--text-file', 'y'],
      2,
      /used together|--text and --text-file/,
    ],
    [[...evidence, '--dispute', disputeId, '--text', ' '], 2, /--text must not be empty/],
    [[...evidence, '--dispute', disputeId, '--text-file', 'none.txt'], 2, /none\.txt/],
  ];
  for (const [args, exitCode, message] of cases) {
    const result = await run(...args);
    expect({ args, ...result }).toMatchObject({
      exitCode,
      stdout: '',
      stderr: expect.stringMatching(message),
    });
  }
  const shown = await owner.run(['disputes', 'show', disputeId, '--json']);
  expect(JSON.parse(shown.stdout).evidence).toEqual([]);
});

test('the stores are listed by name', async () => {
  const { run, storeId, service } = await makeOutlet();
  const listed = JSON.parse((await run('stores', 'list', '--json')).stdout);
  expect(listed).toMatchObject([
    { id: service.storeId, name: 'Juniper & Ink', slug: 'juniper-ink' },
    { id: storeId, name: 'Outlet', slug: 'outlet', createdAt: expect.stringMatching(/Z$/) },
  ]);
  expect((await run('stores', 'list', '-q')).stdout).toBe(`${service.storeId}\n${storeId}\n`);
  const table = await run('stores', 'list');
  expect(table.stdout).toMatch(/^ID +NAME +SLUG +CREATED/);
  expect(table.stdout).toMatch(/Outlet +outlet/);
});

test('prune says what it removed, or would remove', async () => {
  const { run, service } = await makeOutlet();
  await service.storage.write((db) =>
    db.updateTable('events').set({ createdAt: '2020-01-01T00:00:00.000Z', readAt: 'x' }).execute(),
  );
  const rows = await service.storage.read((db) => db.selectFrom('events').select('id').execute());
  // The newest of both stores stays: events are counted on from it.
  const count = rows.length - 2;
  await service.storage.write((db) => db.deleteFrom('deliveries').execute());
  expect(await run('prune', '--dry-run', '--json')).toMatchObject({
    stdout: expect.stringContaining(`"notifications":${count}`),
    stderr: `Would remove ${count} notifications. Nothing was removed.\n`,
  });
  expect((await run('prune', '--older-than', '9999w')).stderr).toBe('Nothing to remove.\n');
  expect((await run('prune')).stderr).toBe(`✓ Removed ${count} notifications\n`);
  expect(await run('prune', '-q')).toMatchObject({ stdout: '0\n', stderr: '' });
  expect(await run('prune', '--older-than', '90')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--older-than must be an age'),
  });
});

test('prune takes backups only if the age is repeated, and is in the log of operators', async () => {
  const { run, owner, service } = await makeOutlet();
  expect((await owner.run(['backup', 'create', '--label', 'a', '--sections', 'blog'])).exitCode).toBe(0);
  await service.storage.write((db) =>
    db.updateTable('backups').set({ createdAt: '2020-01-01T00:00:00.000Z' }).execute(),
  );
  const old = ['prune', '--backups', '--older-than', '52w'];
  const said = '1 backup older than 52w will be removed, with the posts that only they have.';
  expect(await run(...old)).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('--confirm 52w') });
  const refused = await run(...old, '--confirm', '5w');
  expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(said) });
  expect((await run(...old, '--dry-run')).stderr).toBe('Would remove 1 backup. Nothing was removed.\n');

  const log = async () =>
    (await rowsOf(service, 'operatorLog', 'sequence', 'command')).map(({ command }) => command);
  const before = (await log()).length;
  expect((await run(...old, '--confirm', '52w')).stderr).toContain('✓ Removed 1 backup\n');
  expect((await run('prune')).stderr).toBe('Nothing to remove.\n');
  expect((await log()).slice(before)).toEqual(['prune --backups']);
});

test('a dry run of prune counts what a deleted store has left', async () => {
  const { run, service } = await makeOutlet();
  const { storeId } = service;
  expect((await run('stores', 'delete', storeId, '--confirm', storeId)).exitCode).toBe(0);
  const { wouldRemove } = JSON.parse((await run('prune', '--dry-run', '--json')).stdout);
  const { removed } = JSON.parse((await run('prune', '--json')).stdout);
  expect(wouldRemove.deleted).toBeGreaterThan(10);
  expect(removed.deleted).toBe(wouldRemove.deleted);
});
