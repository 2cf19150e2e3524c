import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { answer, startFaultServer } from '../../helpers/fault-server.ts';
import { programMachineFor } from '../../helpers/program.ts';
import { scriptedStore, setScene } from '../../helpers/scene.ts';
import { withoutStoreRead } from '../effects.ts';
import { demoMachine, openSession } from './session.ts';

test('store update', async () => {
  const session = await openSession('storectl store update');
  await session.pressAt(
    /change\?\n❯◯ Name \(now Juniper & Ink\)\n(.*\n)+ ◯ Cashback \(now 200 bp \(2 %\)\)\n(.*\n)+25 choices .*submit$/,
    ...['Space', 'Down', 'Down', 'Down', 'Space', 'Enter'],
  );
  await session.pressAt(/Name: Juniper & Ink$/, 'C-u');
  session.type('Juniper');
  await session.pressAt(/Time zone: Europe\/Berlin$/, 'C-u');
  session.type('Europe/Rome');
  await session.pressAt(/❯ Yes\n(.*\n)+.*select$/, 'Enter');
  expect(await session.ends()).toMatchInlineSnapshot(`
    "$ storectl store update
    demo: example data on this machine, not a real store
    ✔ What do you want to change? Name, Time zone
    Press Esc for the previous question, Ctrl-C to cancel.
    ✔ Name: Juniper
    ✔ Time zone: Europe/Rome
    demo → store Juniper & Ink (5e0c7a52)

    Name       Juniper  (was Juniper & Ink)
    Time zone  Europe/Rome  (was Europe/Berlin)

    ✔ Update the store with these values? Yes
    ✓ Updated store "Juniper"
    Undo: storectl undo <record>
    exit 0"
  `);
});

test('a number that is typed replaces the one that stands there; after an arrow key it is edited', async () => {
  const session = await openSession('storectl store update');
  await session.shows(/⏎ submit$/);
  session.press('cashback');
  await session.pressAt(/❯◯ Cashback \(now 200 bp.*\n(.*\n)*.*submit$/, 'Space', 'Enter');
  await session.typeAt(/Cashback \(basis points.*\): 200$/, '250');
  await session.pressAt(/Cashback \(.*\): 250\n(.*\n)+.*❯ Yes\n(.*\n)+.*select$/, 'Escape');
  await session.pressAt(/Cashback \(.*\): 250$/, '\x1b[D', 'BSpace');
  session.press('3');
  await session.pressAt(/Cashback \(.*\): 230$/, 'C-c');
  expect(await session.ends()).toMatch(/exit 130/);
});

test('store update clears what is emptied, and removes the entries that are deleted from a list', async () => {
  const session = await openSession('storectl store update');
  await session.shows(/⏎ submit$/);
  session.press(
    ...Array<string>(9).fill('Down'),
    'Space',
    ...Array<string>(8).fill('Down'),
    'Space',
    'Enter',
  );
  await session.pressAt(/Thank-you text \(.*empty to clear\): Thank you/, 'C-u', 'Enter');
  await session.pressAt(/Socials? \(.*\): [a-z]+=/, 'C-u');
  session.type('mastodon=https://ink.example/@juniper');
  await session.pressAt(/❯ Yes\n(.*\n)+.*select$/, 'Enter');
  expect(await session.ends()).toMatch(
    /Thank-you text +not set {2}\(was Thank you! .*\)\nSocial instagram +not set .*\nSocial discord +not set .*\nSocial mastodon +https:\S+ {2}\(was not set\)\n(.*\n)+✓ Updated/,
  );
});

test('blog create', async () => {
  const session = await openSession('storectl blog create');
  await session.typeAt(/Title:$/, 'Spring sale');
  await session.typeAt(/Content \(Markdown\):$/, 'All inks **20 %** off.');
  await session.shows(/❯ Yes\n(.*\n)+.*select$/);
  // More than what is needed, before it is sent.
  session.press('Down', 'Enter');
  await session.pressAt(
    /❯◯ Title \(now Spring sale\)\n ◯ Content \(now All inks .*\n(.*\n)*.*submit$/,
    ...['tags', 'Space', 'status', 'Space', 'Enter'],
  );
  await session.typeAt(/Tags \(comma-separated\):$/, 'sale, ink');
  await session.pressAt(
    /Status:\n❯ draft\n +scheduled\n +published\n(.*\n)+.*select$/,
    'Down',
    'Down',
    'Enter',
  );
  await session.pressAt(/published\n\n.*\n❯ Yes\n(.*\n)+.*select$/, 'Enter');
  expect(await session.ends()).toMatchInlineSnapshot(`
    "$ storectl blog create
    demo: example data on this machine, not a real store
    ✔ Title: Spring sale
    Press Esc for the previous question, Ctrl-C to cancel.
    ✔ Content (Markdown): All inks **20 %** off.
    demo → store Juniper & Ink (5e0c7a52)

    Title    Spring sale
    Content  All inks **20 %** off.

    ✔ Create this post as a draft? Edit first
    ✔ What do you want to change? Tags, Status
    ✔ Tags (comma-separated): sale, ink
    ✔ Status: published

    Title    Spring sale
    Content  All inks **20 %** off.
    Tags     sale, ink
    Status   published

    ✔ Create this post? Yes
    ✓ Created post "Spring sale" (published)
    ID                    <uuid>
    Title                 Spring sale
    Slug                  spring-sale
    Content               All inks **20 %** off.
    Tags                  sale, ink
    Featured product IDs  -
    Status                published
    Published             <time>
    View count            0
    Created               <time>
    Updated               <time>
    Effective status      published
    exit 0"
  `);
});

test('settings save', async () => {
  const session = await openSession('storectl settings save');
  await session.pressAt(
    /change\?\n❯◯ Quiet hours enabled \(now yes\)\n(.*\n)*43 choices .*submit$/,
    'Space',
    'Down',
    'Space',
    'Enter',
  );
  await session.pressAt(
    /\? Pause notifications during quiet hours:\n❯ Yes \(now\)\n {2}No\n/,
    'Down',
    'Enter',
  );
  await session.pressAt(/Quiet hours start: 22:00$/, 'C-u');
  session.type('21:30');
  await session.pressAt(/❯ Yes\n(.*\n)+.*select$/, 'Enter');
  expect(await session.ends()).toMatchInlineSnapshot(`
    "$ storectl settings save
    demo: example data on this machine, not a real store
    ✔ What do you want to change? Quiet hours enabled, Quiet hours start
    Press Esc for the previous question, Ctrl-C to cancel.
    ✔ Pause notifications during quiet hours: No
    ✔ Quiet hours start: 21:30
    demo → store Juniper & Ink (5e0c7a52)

    Quiet hours enabled  yes → no
    Quiet hours start    22:00 → 21:30

    ✔ Save these settings? Yes
    ✓ Saved the operations settings
    Quiet hours enabled  yes → no
    Quiet hours start    22:00 → 21:30
    Undo: storectl undo <record>
    exit 0"
  `);
});

test('undo shows that a field was changed again since, and asks', async () => {
  const machine = demoMachine();
  const { stderr } = await machine.run(['store', 'update', '--name', 'Juniper']);
  const later = ['--name', 'Juniper & Sons', '--support-email', 'sons@juniper.example'];
  await machine.run(['store', 'update', ...later]);
  const undo = /Undo: (.*)/.exec(stderr)?.[1] ?? '';

  const kept = await openSession(undo, { machine });
  await kept.shows(/Undo \S+ and send these values\? \(y\/N\)$/);
  kept.type('n');
  expect(await kept.ends()).toMatchInlineSnapshot(`
    "$ storectl undo <record>
    demo: example data on this machine, not a real store
    demo → store Juniper & Sons (5e0c7a52)
    This takes back <record> (store.update, <age>):
    Name  Juniper & Sons → Juniper & Ink
    Warning: Name changed again since <record>.
    ✔ Undo <record> and send these values? No
    error: cancelled; nothing was changed
    exit 130"
  `);
  const { stdout } = await machine.run(['history', 'list', '--json']);
  expect(JSON.parse(stdout)).toHaveLength(2);

  const undone = await openSession(undo, { machine });
  await undone.shows(/Undo \S+ and send these values\? \(y\/N\)$/);
  undone.type('y');
  expect(await undone.ends()).toMatch(/✓ Undid <record> \(store\.update\)\nUndo: .*\nexit 0$/);
});

test('undo of saved settings asks before it overwrites a later change; Enter is no', async () => {
  const machine = demoMachine();
  const { stderr } = await machine.run(['settings', 'save', '--quiet-hours-start', '20:00']);
  await machine.run(['settings', 'save', '--quiet-hours-start', '19:00', '--quiet-hours-end', '09:00']);
  const undo = /Undo: (.*)/.exec(stderr)?.[1] ?? '';

  const kept = await openSession(undo, { machine });
  await kept.shows(/Undo \S+ and save these settings\? \(y\/N\)$/);
  kept.press('Enter');
  expect(await kept.ends()).toMatch(
    /save these settings\? No\nerror: cancelled; nothing was changed\n(.*\n)*exit 130/,
  );

  const undone = await openSession(undo, { machine });
  await undone.shows(/Undo \S+ and save these settings\? \(y\/N\)$/);
  undone.type('y');
  expect(await undone.ends()).toMatch(/\nQuiet hours start {2}19:00 → 22:00\n(.*\n)*exit 0/);
  const { stdout } = await machine.run(['settings', 'show', '--json']);
  expect(JSON.parse(stdout).quietHours).toMatchObject({ start: '22:00', end: '09:00' });
});

test('blog create of several files: run again, what exists is in the plan and not listed again', async () => {
  const machine = demoMachine();
  for (const name of ['a', 'b'])
    writeFileSync(path.join(machine.folder, `post-${name}.md`), `# Post ${name}\n`);
  await machine.run(['blog', 'create', 'post-a.md']);
  const session = await openSession('storectl blog create post-a.md post-b.md', { machine, columns: 80 });
  await session.pressAt(/\(Y\/n\)$/, 'Enter');
  expect(await session.ends()).toMatchInlineSnapshot(`
    "$ storectl blog create post-a.md post-b.md
    demo: example data on this machine, not a real store
    demo → store Juniper & Ink (5e0c7a52)
    1 to create (draft), 1 already created

    STATUS  FILE       SLUG    TITLE
    draft   post-b.md  post-b  Post b

    Posts without a status become drafts. To publish them, add --status published.

    ✔ Posts cannot be edited or deleted. Create these posts? Yes
    created   post-b.md  <uuid>  draft
    ✓ Created 1 post, 1 already created
    exit 0"
  `);
});

test('blog create of several files: what is public at once is not created by Enter alone', async () => {
  const machine = demoMachine();
  for (const name of ['a', 'b'])
    writeFileSync(path.join(machine.folder, `post-${name}.md`), `# Post ${name}\n`);
  const session = await openSession('storectl blog create post-a.md post-b.md --status published', {
    machine,
  });
  await session.pressAt(/Create these posts\? \(y\/N\)$/, 'Enter');
  expect(await session.ends()).toMatch(/exit 130$/);
});

test('store update: letters typed into the list of fields filter it; a wrong number names its unit', async () => {
  const session = await openSession('storectl store update');
  await session.pressAt(/⏎ submit$/, 'cashb', 'Space', 'Enter');
  await session.shows(/What do you want to change\? Cashback\n.*\n\? Cashback.*$/);
  session.press('C-u');
  session.type('five percent');
  await session.pressAt(/must be a whole number \(got "five percent"\); basis points: 250 is 2\.5 %/, 'C-c');
  expect(await session.ends()).toMatch(/exit 130/);
});

test('store update: a value that a restore of a backup of another machine has changed is not seen, where the service cannot be asked', async () => {
  const { machine, proxy } = await setScene({ built: true });
  proxy.decide(withoutStoreRead);
  const update = (name: string) => machine.run(['store', 'update', '--name', name, '--cashback-bp', '250']);
  const backup = ['backup', 'create', '--label', 'x', '--sections', 'store', '-q'];
  await update('A');
  const elsewhere = { env: { STORECTL_STATE_DIR: path.join(machine.folder, 'elsewhere') } };
  const id = (await machine.run(backup, elsewhere)).stdout.trim();
  await update('B');
  await machine.run(['backup', 'restore', id, '--sections', 'store', '--confirm', id]);

  const session = await openSession('storectl store update', { machine });
  await session.pressAt(/❯◯ Name \(not seen\)\n(.*\n)+ ◯ Cashback \(now 250 bp.*\n(.*\n)*.*submit$/, 'C-c');
  expect(await session.ends()).toMatch(/exit 130/);
});

test('store update: after a refusal, the backup is not offered again', async () => {
  const refused = {
    code: 'validation_failed',
    message: 'no',
    errors: [{ path: 'name', detail: 'too long' }],
  };
  await using server = await startFaultServer([
    answer(201, { id: '01985f2e-7b90-7a16-9c48-5d1e3f82a6b4' }),
    answer(422, refused),
    answer(200, { id: scriptedStore.storeId, name: 'Outlet' }),
  ]);
  const machine = programMachineFor({ ...scriptedStore, origin: server.url });
  const session = await openSession('storectl store update', { machine, columns: 160 });
  await session.pressAt(/What do you want to change\?/, 'Space', 'Enter');
  await session.typeAt(/\? Name: *$/, 'Long');
  await session.pressAt(/Back up the store section first\? \(Y\/n\)$/, 'Enter');
  await session.pressAt(/Created backup(.*\n)+.*❯ Yes\n(.*\n)+.*select$/, 'Enter');
  await session.pressAt(/too long(.*\n)+.*Name: Long$/, 'C-u');
  session.type('Outlet');
  await session.pressAt(/Name: Outlet(.*\n)+.*❯ Yes\n(.*\n)+.*select$/, 'Enter');
  expect(await session.ends()).toMatch(/Updated store "Outlet"(.*\n)+exit 0/);
  expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
});
