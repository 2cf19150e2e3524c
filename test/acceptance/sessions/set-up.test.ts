import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startFaultServer } from '../../helpers/fault-server.ts';
import { newProgramMachine } from '../../helpers/program.ts';
import { startService } from '../../helpers/service.ts';
import { typed } from '../../helpers/typed.ts';
import { openSession, type Session } from './session.ts';

/** Answers the questions of a login. */
async function logIn({ typeAt }: Session, given: { origin: string; storeId: string; apiKey: string }) {
  await typeAt(/Base URL:$/, given.origin);
  await typeAt(/Store ID:$/, given.storeId);
  await typeAt(/API key \(not shown\):$/, given.apiKey);
}

test('auth login: everything is asked again if the store is not found, and the key alone if it is refused', async () => {
  const { origin, storeId, apiKey } = await startService();
  const session = await openSession('storectl auth login', { machine: newProgramMachine() });
  await session.typeAt(/Base URL:$/, 'http://api.example.com');
  await session.pressAt(/HTTPS is required/, 'C-u');
  session.type(origin);
  await session.typeAt(/Store ID:$/, storeId.replace(/.$/, 'x'));
  await session.typeAt(/API key \(not shown\):$/, apiKey.replace(/.$/, '-'));
  await session.shows(/checksum is wrong(.*\n)+.*API key \(not shown\):$/);
  session.paste(`${apiKey}\n`);
  session.press('Enter');
  await session.pressAt(/not found(.*\n)+.*Base URL: \S+$/, 'Enter');
  await session.pressAt(/Store ID: \S+x$/, 'C-u');
  session.type(storeId);
  await session.pressAt(/API key \(not shown, Enter for the same\):$/, 'Enter');
  const screen = await session.ends();
  expect(screen).not.toContain('<key>');
  expect(screen).toMatchInlineSnapshot(`
    "$ storectl auth login
    ✔ Base URL: http://<host>
    Press Esc for the previous question, Ctrl-C to cancel.
    ✔ Store ID: 5e0c7a52-3d1b-4c8e-9f4a-2b6d8e10c3ax
    ✔ API key (not shown):

    error: this key is mistyped or cut off: its checksum is wrong
      copy the whole key again: one word without spaces or line breaks

    ✔ API key (not shown):

    error: store 5e0c7a52-3d1b-4c8e-9f4a-2b6d8e10c3ax not found, or the key is not for this store
      check the base URL and the store id, and that the key is for this store

    ✔ Base URL: http://<host>
    ✔ Store ID: <uuid>
    ✔ API key (not shown, Enter for the same):
    ✓ Logged in to store <uuid> @ <host> (profile main)
    The key is stored in <home>/config/settings.json.
    exit 0"
  `);
  const settings = readFileSync(path.join(session.machine.configDirectory, 'settings.json'), 'utf8');
  expect(JSON.parse(settings).profiles.main).toMatchObject({ storeId, apiKey });
});

test.each([
  ['nothing answers there', () => 'http://127.0.0.1:9', /could not be reached(.*\n)+. Base URL: \S+$/],
  [
    'it ends in a version',
    (origin: string) => `${origin}/v1`,
    /ends in \/v1: leave it out, storectl adds it\n\n. Base URL: \S+\/v1$/,
  ],
])('auth login: the address is asked for again if %s', async (_, addressOf, said) => {
  const { origin, storeId, apiKey } = await startService();
  const session = await openSession('storectl auth login --timeout 1', { machine: newProgramMachine() });
  await logIn(session, { storeId, apiKey, origin: addressOf(origin) });
  await session.pressAt(said, 'C-u');
  session.type(origin);
  await session.pressAt(/Store ID: \S+$/, 'Enter');
  await session.pressAt(/Enter for the same\):$/, 'Enter');
  expect(await session.ends()).toContain('✓ Logged in to store <uuid> @ <host> (profile main)');
});

test('auth login: names the store of a new key, and says that no key was stored if cancelled', async () => {
  const { origin, storeId, apiKey } = await startService();
  const machine = newProgramMachine();
  await machine.run(['profile', 'set', 'main', '--base-url', origin, '--store', storeId]);
  const session = await openSession('storectl auth login', { machine });
  await session.typeAt(/API key \(not shown\):$/, 'sk_of_another_service');
  await session.pressAt(/rejected(.*\n)+. API key \(not shown\):$/, 'C-c');
  const screen = await session.ends();
  expect(screen).not.toContain(apiKey);
  expect(screen).toMatch(
    /^New key for store <uuid> @ <host> \(profile main\):\nFor another store, cancel and run .*\n(.*\n)+error: cancelled; the key was not stored\nexit 130$/m,
  );
});

test('no store is set up yet: the login comes first, then the command goes on', async () => {
  const { origin, storeId, apiKey } = await startService();
  const session = await openSession('storectl backup create', { machine: newProgramMachine() });
  await session.pressAt(
    /❯ Log in \(needs the base URL, .*\)\n +Use the demo store\n +Cancel\n(.*\n)*.*select$/,
    'Enter',
  );
  await logIn(session, { storeId, apiKey, origin });
  await session.typeAt(/Label:$/, 'first');
  await session.pressAt(/⏎ submit$/, 'Enter');
  await session.pressAt(/❯ Yes\n(.*\n)+.*select$/, 'Enter');
  expect(await session.ends()).toMatch(
    /✓ Logged in to store <uuid> @ <host> \(profile main\)\n.*\n✔ Label: first\n(.*\n)+✓ Created backup "first" \(store, blog, settings, endpoints\)\n/,
  );
});

test('no store is set up yet: the example store, or nothing', async () => {
  const session = await openSession('storectl settings show --fields quietHours.start', {
    machine: newProgramMachine(),
  });
  await session.pressAt(/⏎ select$/, 'Down', 'Enter');
  expect(await session.ends()).toMatch(/Use the demo store\ndemo: .*\n\{\n(.*\n)+\}\nexit 0$/);
  session.type('clear; storectl settings show');
  await session.pressAt(/set up on this machine yet(.*\n)+.*select$/, 'Up', 'Down', 'Down', 'Enter');
  await session.shows(/error:/);
  expect(await session.ends()).toMatch(/Cancel\nerror: cancelled\nexit 130$/);
});

test('profile use', async () => {
  const machine = newProgramMachine();
  await machine.run(typed`profile set main --base-url https://api.example.com --store store-1`);
  await machine.run(typed`profile set outlet --base-url https://api.example.com --store store-2`);
  const session = await openSession('storectl profile use', { machine });
  await session.pressAt(
    /❯ main +store-1 @ api\.example\.com\n +outlet .*\n +demo +the demo store\n(.*\n)*.*select$/,
    'Down',
    'Enter',
  );
  expect(await session.ends()).toMatchInlineSnapshot(`
    "$ storectl profile use
    ✔ Which profile do you want to use? outlet
    ✓ Switched to profile outlet
    exit 0"
  `);
});

test('profile remove NAME, demo reset: a no leaves everything as it is', async () => {
  const machine = newProgramMachine();
  await machine.run(['profile', 'set', 'main', '--store', 'store-1']);
  const session = await openSession('storectl profile remove main', { machine });
  await session.typeAt(/Remove profile main and its key\? \(y\/N\)$/, 'n');
  await session.typeAt(/cancelled(.*\n)+\$$/, 'storectl demo reset');
  await session.typeAt(/Remove the demo store and everything done to it\? \(y\/N\)$/, '');
  expect(await session.ends()).toMatch(/exit 130/);
  expect((await machine.run(['profile', 'list', '-q'])).stdout).toBe('main\n');
});

test('doctor', async () => {
  const session = await openSession('storectl doctor', { env: { SHELL: '/bin/zsh' } });
  expect(await session.ends()).toMatchInlineSnapshot(`
    "$ storectl doctor
    demo: example data on this machine, not a real store
    settings  ok  demo → example store on this machine
    history   ok  0 changes recorded in <home>/state/demo/history/<store>
    access    ok  the key works for store <uuid>
    exit 0"
  `);
});

test('service stores delete: what is lost is said before its id is typed', async () => {
  const machine = newProgramMachine();
  const { stdout } = await machine.run(['service', 'stores', 'create', '--name', 'My store', '-q']);
  const session = await openSession(`storectl service stores delete ${stdout.trim()}`, { machine });
  await session.typeAt(/Type its id to confirm:$/, stdout.trim());
  expect(await session.ends()).toMatchInlineSnapshot(`
    "$ storectl service stores delete <uuid>
    Store "My store" has 0 posts, 0 backups, 0 disputes and 0 unsent messages. All of it goes.
    ✔ Type its id to confirm: <uuid>
    ✓ Deleted store <uuid>
    ID  <uuid>
    exit 0"
  `);
});

test('auth login --with-key: a terminal asks for the key and does not show it', async () => {
  const { origin, storeId, apiKey } = await startService();
  const machine = newProgramMachine();
  const command = `storectl auth login --base-url ${origin} --store ${storeId} --with-key`;
  const session = await openSession(command, { machine });
  await session.typeAt(/API key \(not shown\):$/, apiKey);
  const screen = await session.ends();
  expect(screen).toMatch(/Logged in to store(.*\n)+exit 0/);
  expect(screen).not.toContain('<key>');
  expect(screen).not.toContain(apiKey);
});

test('a key that is pasted while the service is waited for is not shown, and is not the next answer', async () => {
  await using server = await startFaultServer(Array.from({ length: 4 }, () => ({ does: 'hang' }) as const));
  const session = await openSession(`storectl auth login --base-url ${server.url} --store s1 --timeout 3`, {
    machine: newProgramMachine(),
  });
  await session.typeAt(/API key \(not shown\):$/, 'first-key');
  await session.shows(/Waiting for/);
  session.press('sk_live_secret', 'Enter');
  session.paste('sk_live_secret');
  expect(await session.ends()).not.toContain('secret');
});

test('profile set, history prune and notify mark-read ask for what is missing', async () => {
  const machine = newProgramMachine();
  const set = await openSession('storectl profile set', { machine });
  await set.typeAt(/Name of the profile:$/, 'outlet');
  await set.typeAt(/Base URL:$/, 'https://api.example.com');
  await set.typeAt(/Store ID:$/, 's1');
  expect(await set.ends()).toMatch(/Created profile outlet\nexit 0$/);

  const prune = await openSession('storectl --demo history prune');
  await prune.typeAt(/older than \(for example 90d\):$/, 'soon');
  await prune.pressAt(/Type an age such as 90d/, 'C-u');
  prune.type('90d');
  expect(await prune.ends()).toMatch(/Nothing to remove\.\nexit 0$/);

  const mark = await openSession('storectl --demo notify mark-read');
  await mark.pressAt(/Which notifications do you want to mark as read\?(.|\n)*submit$/, 'Space', 'Enter');
  expect(await mark.ends()).toMatch(/Marked all notifications(.*\n)+exit 0$/);
});
