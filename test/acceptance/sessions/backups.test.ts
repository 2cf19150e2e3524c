import path from 'node:path';
import { expect, test } from 'vitest';
import { setScene } from '../../helpers/scene.ts';
import { effectsOf, withoutStoreRead } from '../effects.ts';
import { demoMachine, openSession } from './session.ts';

test('backup create', async () => {
  const session = await openSession('storectl backup create');
  await session.typeAt(/Label:$/, 'before the sale');
  await session.pressAt(
    /❯◉ store\n ◉ blog\n ◉ settings\n ◉ endpoints\n(.*\n)*.*submit$/,
    ...['Down', 'Down', 'Space', 'Down', 'Space', 'Enter'],
  );
  expect(await session.shows(/⏎ select$/)).toMatchInlineSnapshot(`
    "✔ Sections: store, blog
    demo → store Juniper & Ink (5e0c7a52)

    Label     before the sale
    Sections  store, blog

    ? Create this backup?
    ❯ Yes
      Edit first
      No, cancel

    ↑↓ navigate • ⏎ select"
  `);
  session.press('Enter');
  expect(await session.ends()).toMatchInlineSnapshot(`
    "$ storectl backup create
    demo: example data on this machine, not a real store
    ✔ Label: before the sale
    Press Esc for the previous question, Ctrl-C to cancel.
    ✔ Sections: store, blog
    demo → store Juniper & Ink (5e0c7a52)

    Label     before the sale
    Sections  store, blog

    ✔ Create this backup? Yes
    ✓ Created backup "before the sale" (store, blog)
    ID        <uuid>
    Version   1
    Label     before the sale
    Sections  store, blog
    Created   <time>
    exit 0"
  `);
});

test('backup restore', async () => {
  const machine = demoMachine();
  const take = (label: string) =>
    machine.run(['backup', 'create', '--label', label, '--sections', 'store,blog', '-q']);
  await take('first');
  const id = (await take('second')).stdout.trim();
  const session = await openSession('storectl backup restore', { machine });
  await session.pressAt(
    /❯ \S+ +second \(store, blog\).*\n +\S+ +first \(store, blog\).*\n +Other…\n(.*\n)*.*select$/,
    'Enter',
  );
  await session.pressAt(/❯◉ store\n ◉ blog\n\n(.*\n)*.*submit$/, 'Down', 'Space', 'Enter');
  await session.typeAt(/to confirm:$/, id);
  expect(await session.ends()).toMatchInlineSnapshot(`
    "$ storectl backup restore
    demo: example data on this machine, not a real store
    ✔ Which backup do you want to restore? <id>  second (store, blog), <age>
    Press Esc for the previous question, Ctrl-C to cancel.
    ✔ Sections: store
    demo → store Juniper & Ink (5e0c7a52)

    This replaces the store section of store Juniper & Ink (5e0c7a52) with backup
    <uuid> ("second", <age>). A safety backup is taken first: undo goes
    back to it.
    Store  unchanged

    ✔ Restore this backup? Type <id> to confirm: <uuid>
    ✓ Restored the store section from backup <uuid> ("second")
    Store  unchanged
    Safety backup: <uuid> (undo goes back to it)
    The service's own backup: <uuid>
    Undo: storectl undo <record>
    exit 0"
  `);
});

test('the undo of a restore asks for the id of the change, and shows what the service changed', async () => {
  const machine = demoMachine();
  const create = ['backup', 'create', '--label', 'first', '--sections', 'store', '-q'];
  const backupId = (await machine.run(create)).stdout.trim();
  await machine.run(['store', 'update', '--name', 'Outlet']);
  const { stderr } = await machine.run([
    ...['backup', 'restore', backupId, '--sections', 'store', '--confirm', backupId],
  ]);
  const undo = /Undo: (.*)/.exec(stderr)?.[1] ?? '';
  const id = undo.split(' ').at(-1) ?? '';
  const session = await openSession(undo, { machine, names: { [id]: '<record>' } });
  await session.typeAt(/to confirm:$/, 'y');
  await session.shows(/That doesn't match/);
  session.press('BSpace');
  session.type(id);
  expect(await session.ends()).toMatchInlineSnapshot(`
    "$ storectl undo <record>
    demo: example data on this machine, not a real store
    demo → store Juniper & Ink (5e0c7a52)
    <record> restored the store section from backup <uuid> ("first").
    This replaces the store section of store Juniper & Ink (5e0c7a52) with backup
    <uuid> ("Safety: first", <age>). A safety backup is taken first:
    undo goes back to it.
    Name  Juniper & Ink → Outlet
    ✔ Undo <record> and restore this backup? Type <record> to confirm: <record>
    ✓ Undid <record>: restored the store section from backup <uuid>
    ("Safety: first")
    Store  restored: Name
    Safety backup: <uuid> (undo goes back to it)
    The service's own backup: <uuid>
    Undo: storectl undo <record>
    exit 0"
  `);
});

test('an undo that cannot be undone says so before it is sent, where the service cannot be asked', async () => {
  const { machine, proxy } = await setScene({ built: true });
  proxy.decide(withoutStoreRead);
  await machine.run(['store', 'update', '--name', 'Paper']);
  const create = ['backup', 'create', '--label', 'first', '--sections', 'store', '-q'];
  const elsewhere = { env: { STORECTL_STATE_DIR: path.join(machine.folder, 'elsewhere') } };
  const id = (await machine.run(create, elsewhere)).stdout.trim();
  const { stderr } = await machine.run(['store', 'update', '--name', 'Fox']);
  const undo = /Undo: (.*)/.exec(stderr)?.[1] ?? '';
  await machine.run(['backup', 'restore', id, '--sections', 'store', '--confirm', id]);
  const session = await openSession(undo, { machine });
  await session.typeAt(
    /This undo cannot be undone: this machine has not seen the\s+current values\.(.|\n)*first\? \(Y\/n\)$/,
    'y',
  );
  await session.typeAt(/and send these values\? \(y\/N\)$/, 'y');
  expect(await session.ends()).toMatch(/✓ Created backup <uuid>(.*\n)+✓ Undid/);
  const [{ id: last }] = JSON.parse((await machine.run(['history', 'list', '--json'])).stdout);
  const refused = await machine.run(['undo', last]);
  expect(refused.stderr).toMatch(/backup restore \S+ --sections store` to restore what you backed up before/);
});

test('backup restore: a store that is no example lists nothing, so the history of this machine does', async () => {
  const { machine, service } = await setScene({ built: true });
  const take = (label: string) =>
    machine.run(['backup', 'create', '--label', label, '--sections', 'store,blog', '-q']);
  const first = (await take('before the sale')).stdout.trim();
  await take('after the sale');
  const session = await openSession('storectl backup restore', { machine });
  await session.pressAt(
    /❯ \S+ +after the sale \(store, blog\).*\n +\S+ +before the sale .*\n +Other…\n(.*\n)*.*select$/,
    'Down',
    'Enter',
  );
  await session.pressAt(/⏎ submit$/, 'Space', 'Enter');
  await session.typeAt(/to confirm:$/, first);
  await session.ends();
  expect((await effectsOf(service)).restores).toEqual([first]);
});

test('notify add-endpoint', async () => {
  const session = await openSession('storectl notify add-endpoint');
  await session.typeAt(/Name:$/, 'Team');
  await session.typeAt(/TOKEN\):$/, 'discord.com');
  await session.pressAt(/> URL must be a whole URL that begins with https:\/\/$/, 'C-u');
  session.type('https://discord.com/api/webhooks/1/token');
  await session.pressAt(
    /❯◯ store_updated\n(.*\n)+ ◯ feedback_digest\n(.*\n)*.*submit$/,
    'Down',
    'Down',
    'Space',
    'Enter',
  );
  await session.pressAt(/⏎ select$/, 'Enter');
  expect(await session.ends()).toMatchInlineSnapshot(`
    "$ storectl notify add-endpoint
    demo: example data on this machine, not a real store
    ✔ Name: Team
    Press Esc for the previous question, Ctrl-C to cancel.
    ✔ URL (for Discord: https://discord.com/api/webhooks/ID/TOKEN):
      https://discord.com/api/webhooks/1/token
    ✔ Events: dispute_opened
    demo → store Juniper & Ink (5e0c7a52)

    Kind    discord
    Name    Team
    URL     https://discord.com/api/webhooks/1/token
    Events  dispute_opened

    ✔ Add this endpoint? Yes
    ✓ Added endpoint "Team"
    Kind     discord
    Name     Team
    Events   dispute_opened
    Enabled  yes
    ID       <uuid>
    Created  <time>
    URL      https://discord.com/api/webhooks/1/***
    exit 0"
  `);
});

test('notify mark-read: what to mark is asked in a terminal, and Ctrl-C marks nothing', async () => {
  const { machine, proxy, example } = await setScene({ built: true });
  const session = await openSession('storectl notify mark-read', { machine });
  await session.pressAt(/Which notifications do you want to mark as read\?(.|\n)*submit$/, 'C-c');
  expect(await session.ends()).toMatch(/error: cancelled(.*\n)*exit 130$/);
  expect(proxy.writes()).toEqual([]);

  const [first = '', second = ''] = example.notifications.map(({ id }) => id);
  const { stderr } = await machine.run(['notify', 'mark-read', first, second]);
  expect(stderr).toContain('✓ Marked 2 notifications as read (the service ignores unknown ids)');
  expect(proxy.writes().map(({ body }) => JSON.parse(body))).toEqual([{ ids: [first, second] }]);
});
