import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeEditor, replaceLine } from '../../helpers/editor.ts';
import { newProgramMachine, type ProgramMachine } from '../../helpers/program.ts';
import { setScene } from '../../helpers/scene.ts';
import { demoMachine, openSession } from './session.ts';

test('history show', async () => {
  const machine = demoMachine();
  await machine.run(['backup', 'create', '--label', 'first', '--sections', 'store']);
  await machine.run(['blog', 'create', '--title', 'Spring sale', '--content-md', 'Soon.']);
  const session = await openSession('storectl history show', { machine });
  await session.pressAt(
    /❯ \S+ +blog\.create, Spring sale, applied, .*\n +\S+ +backup\.create, first, applied, .*\n(.*\n)*.*select$/,
    'Down',
    'Enter',
  );
  expect(await session.ends()).toMatchInlineSnapshot(`
    "$ storectl history show
    ✔ Which change do you want to see? <record>
    ID         <record>
    Created    <time>
    Operation  backup.create
    Store ID   <uuid>
    Service    demo
    State      applied
    Result     <uuid>
    Attempts   1

    Request
      Method           POST
      Path             /v1/stores/<uuid>/operations/backups
      Label            first
      Sections         store
      Idempotency key  <idempotency-key>

    Response
      HTTP status  201
      Request ID   <uuid>
      Received     <time>
      ID           <uuid>
      Version      1
      Label        first
      Sections     store
      Created      <time>
    exit 0"
  `);
});

test('history show: nothing was sent yet', async () => {
  const session = await openSession('storectl history show');
  expect(await session.ends()).toMatchInlineSnapshot(`
    "$ storectl history show
    No history yet on this machine for this store.
    exit 0"
  `);
});

test('history prune', async () => {
  const machine = demoMachine();
  // The newest is never removed.
  for (const name of ['first', 'second']) await machine.run(['store', 'update', '--name', name]);
  const session = await openSession('storectl history prune --older-than 0h', { machine });
  expect(await session.ends()).toMatchInlineSnapshot(`
    "$ storectl history prune --older-than 0h
    ✓ Removed 1 run from the history
    exit 0"
  `);
});

test('resume: what is applied once is sent again without a question', async () => {
  const scene = await setScene({ built: true });
  scene.proxy.decide(({ method }) => (method === 'POST' ? 'lose' : 'pass'));
  const { machine } = scene;
  for (const label of ['first', 'second']) {
    await machine.run(['backup', 'create', '--label', label, '--sections', 'store', '--timeout', '4']);
  }
  scene.proxy.decide(() => 'pass');
  const session = await openSession('storectl resume', { machine });
  expect(await session.ends()).toMatchInlineSnapshot(`
    "$ storectl resume
    applied   <record>  backup.create  first  <uuid>
    applied   <record>  backup.create  second  <uuid>
    ✓ 2 changes were applied
    exit 0"
  `);
});

test('resume: an update that may replace what others have changed since is shown, and not sent until the user says so', async () => {
  const scene = await setScene({ built: true, hides: 'of both' });
  scene.proxy.decide(({ method }) => (method === 'PATCH' ? 'lose' : 'pass'));
  const { machine } = scene;
  await machine.run(['store', 'update', '--name', 'Outlet', '--timeout', '2']);
  const sent = scene.proxy.writes().length;
  scene.proxy.decide(() => 'pass');
  const refused = await openSession('storectl resume', { machine });
  await refused.shows(/\(y\/N\)$/);
  refused.type('n');
  expect(await refused.ends()).toMatchInlineSnapshot(`
    "$ storectl resume
    <record>  store.update, Outlet, in doubt (connection lost), <age>
      Method  PATCH
      Path    /v1/stores/<uuid>
      Name    Outlet
    ✔ Send this change again, in place of what was changed since? No
    error: cancelled; nothing was sent
    exit 130"
  `);
  expect(scene.proxy.writes()).toHaveLength(sent);

  const { stdout } = await machine.run(['history', 'list', '--json']);
  const [{ id }] = JSON.parse(stdout);
  const session = await openSession(`storectl resume ${id}`, { machine });
  await session.pressAt(/\(y\/N\)$/, 'y', 'Enter');
  const screen = await session.ends();
  expect(screen).toMatch(/applied +<record> +store\.update +Outlet/);
  expect(screen).toMatch(/✓ 1 change was applied$/m);
  expect(scene.proxy.writes()).toHaveLength(sent + 1);
});

test('settings edit', async () => {
  const machine = demoMachine();
  const EDITOR = makeEditor(machine.folder, replaceLine(/start: .*/g, 'start: "21:15"'));
  const session = await openSession('storectl settings edit', { machine, env: { EDITOR } });
  expect(await session.ends()).toMatchInlineSnapshot(`
    "$ storectl settings edit
    demo: example data on this machine, not a real store
    demo → store Juniper & Ink (5e0c7a52)
    ✓ Saved the operations settings
    Quiet hours start  22:00 → 21:15
    Undo: storectl undo <record>
    exit 0"
  `);
});

/** The texts that editors left, which were not sent. */
function drafts({ stateDirectory }: ProgramMachine): string[] {
  const folder = path.join(stateDirectory, 'drafts');
  return readdirSync(folder).map((name) => readFileSync(path.join(folder, name), 'utf8'));
}

test('settings edit: a text that is saved unchanged though it is wrong is given up, and kept', async () => {
  const machine = demoMachine();
  const EDITOR = makeEditor(machine.folder, replaceLine(/^quietHours:.*/m, 'quietHours: ['));
  const session = await openSession('storectl settings edit', { machine, columns: 160, env: { EDITOR } });
  expect(await session.ends()).toMatch(
    /\nYour text is kept in (\S+\/drafts\/settings-\w+\.yaml)\nTo send it, run `storectl settings save --from-file \1`\.\nerror: invalid YAML in line 8 .*\n {2}fix the text, which is kept\nexit 2$/,
  );
  expect(drafts(machine)).toEqual([expect.stringMatching(/^# Not saved:\n(#.*\n)+\nquietHours: \[\n/)]);
});

test('blog create --edit: the same for a post', async () => {
  const machine = demoMachine();
  const EDITOR = makeEditor(machine.folder, `printf -- '---\\ntitle: [\\n---\\nSoon.\\n' > "$1"`);
  const session = await openSession('storectl blog create --edit', {
    machine,
    columns: 160,
    env: { EDITOR },
  });
  expect(await session.ends()).toMatch(
    /\nYour text is kept in (\S+\/drafts\/post-\w+\.md)\nTo send it, run `storectl blog create \1`\.\nerror: line 2: invalid YAML: .*\n {2}fix the text, which is kept\nexit 2$/,
  );
  expect(drafts(machine)).toEqual(['---\ntitle: [\n---\nSoon.\n']);
});

test('a post is kept from the editor until it was sent: when the question is cancelled, and when the program is killed', async () => {
  const machine = demoMachine();
  const EDITOR = makeEditor(machine.folder, `printf -- '---\\ntitle: Inks\\n---\\nSoon.\\n' > "$1"`);
  const session = await openSession('storectl blog create --edit', {
    machine,
    columns: 160,
    env: { EDITOR },
  });
  await session.shows(/Create this post as a draft\?/);
  // What a program that is killed now leaves.
  expect(drafts(machine)).toEqual(['---\ntitle: Inks\n---\nSoon.\n']);
  session.press('C-c');
  expect(await session.ends()).toMatch(/Your text is kept in \S+(.*\n)+error: cancelled/);
  expect(drafts(machine)).toEqual(['---\ntitle: Inks\n---\nSoon.\n']);

  const sent = await openSession('storectl blog create --edit', { machine: demoMachine(), env: { EDITOR } });
  await sent.pressAt(/❯ Yes\n(.*\n)+.*select$/, 'Enter');
  expect(await sent.ends()).toMatch(/Created post "Inks"(.*\n)+exit 0/);
  expect(drafts(sent.machine)).toEqual([]);
});

test('blog create --edit asks who and where before anything is typed', async () => {
  const machine = newProgramMachine();
  const EDITOR = makeEditor(machine.folder, `echo editing; printf -- '# Inks\\n\\nSoon.\\n' > "$1"`);
  const session = await openSession('storectl blog create --edit', { machine, env: { EDITOR } });
  const screen = await session.shows(/No store is set up on this machine yet/);
  expect(screen).not.toContain('editing');
  session.press('Down', 'Enter');
  await session.pressAt(/editing(.*\n)+.*❯ Yes\n(.*\n)+.*select$/, 'Enter');
  expect(await session.ends()).toMatch(/Created post "Inks"(.*\n)+exit 0/);
});
