import { expect, test } from 'vitest';
import { machineFor, newMachine } from '../../helpers/cli.ts';
import { startService, type TestService } from '../../helpers/service.ts';
import { typed } from '../../helpers/typed.ts';

/** Runs a command of the person who runs the service. */
async function manage({ databaseFile }: TestService, args: readonly string[]) {
  const result = await newMachine().run(['service', ...args, '--database', databaseFile, '--json']);
  expect(result).toMatchObject({ exitCode: 0 });
  return JSON.parse(result.stdout);
}

async function errorOf(args: readonly string[]) {
  const { exitCode, stderr, stdout } = await newMachine().run([...args, '--json']);
  expect(stdout).toBe('');
  return { exitCode, error: JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error };
}

/** Exit code of a read with the key. */
async function tryKey({ origin, storeId }: TestService, apiKey: string): Promise<number> {
  return (await machineFor({ origin, storeId, apiKey }).run(['settings', 'show'])).exitCode;
}

test('keys are listed with their rights and state, and never shown', async () => {
  const service = await startService();
  const store = ['--store', service.storeId];
  const scopes = ['--scopes', 'settings:read,blog:write', '--label', 'reader', '--expires-in-days', '90'];
  const created = await manage(service, ['keys', 'create', ...store, ...scopes]);
  await manage(service, ['keys', 'revoke', created.id, '--confirm', created.id]);

  const listed = await manage(service, ['keys', 'list', ...store]);
  expect(listed).toMatchObject([
    { id: created.id, label: 'reader', scopes: ['settings:read', 'blog:write'], state: 'revoked' },
    { label: '', state: 'active', expiresAt: null, lastUsedAt: null },
  ]);
  const table = await newMachine().run(
    typed`service keys list --store ${service.storeId} --database ${service.databaseFile}`,
  );
  expect(table.stdout).toMatch(/owner +active/);
  expect(table.stdout).toMatch(/settings:read, blog:write +revoked/);
  for (const text of [JSON.stringify(listed), table.stdout]) {
    expect(text).not.toContain(created.key.slice(-49, -6));
    expect(text).not.toMatch(/sha256/i);
  }
});

test('the last use of a key is shown as exactly as it is known', async () => {
  const service = await startService();
  const { storage, storeId, databaseFile, apiKey } = service;
  const show = async () =>
    (await newMachine().run(typed`service keys list --store ${storeId} --database ${databaseFile}`)).stdout;
  expect(await show()).toMatch(/ never\n$/);
  await tryKey(service, apiKey);
  await expect.poll(show).toMatch(/ less than an hour ago\n$/);
  const [{ lastUsedAt }] = await manage(service, ['keys', 'list', '--store', storeId]);
  expect(lastUsedAt).toMatch(/:00:00\.000Z$/);

  const used = async (hours: number) => {
    const at = new Date(Date.parse(lastUsedAt) - hours * 3_600_000).toISOString();
    await storage.write((db) => db.updateTable('apiKeys').set({ lastUsedAt: at }).execute());
    return show();
  };
  expect(await used(3)).toMatch(/ less than 4 hours ago\n$/);
  expect(await used(49)).toMatch(/ 2 days ago\n$/);
});

test('a revoked key is refused at once', async () => {
  const service = await startService();
  const { key, id } = await manage(service, ['keys', 'create', '--store', service.storeId]);
  expect(await tryKey(service, key)).toBe(0);
  await expect
    .poll(() => manage(service, ['keys', 'list', '--store', service.storeId]))
    .toMatchObject([{ id, lastUsedAt: expect.stringMatching(/Z$/) }, { lastUsedAt: null }]);
  await manage(service, ['keys', 'revoke', id, '--confirm', id]);
  expect(await tryKey(service, key)).toBe(4);
  const again = ['service', 'keys', 'revoke', id, '--confirm', id, '--database', service.databaseFile];
  expect(await errorOf(again)).toMatchObject({ exitCode: 5, error: { code: 'not_found' } });
});

test('a rotated key leaves the old one valid for the overlap, with the same rights', async () => {
  const service = await startService();
  const create = ['keys', 'create', '--store', service.storeId, '--scopes', 'settings:read', '--label', 'ci'];
  const old = await manage(service, [...create, '--expires-in-days', '30']);
  const now = Date.now();
  const rotated = await manage(service, ['keys', 'rotate', old.id, '--overlap', '36h']);

  expect(rotated).toMatchObject({ scopes: ['settings:read'], previous: { id: old.id } });
  const hoursOf = (time: string) => Math.round((Date.parse(time) - now) / 3_600_000);
  expect(hoursOf(rotated.previous.expiresAt)).toBe(36);
  expect(hoursOf(rotated.expiresAt)).toBe(30 * 24);
  for (const { key } of [old, rotated]) expect(await tryKey(service, key)).toBe(0);
  const listed = await manage(service, ['keys', 'list', '--store', service.storeId]);
  expect(listed.filter((key: { label: string }) => key.label === 'ci')).toHaveLength(2);
});

test('without an overlap the old key ends now, and is not rotated again', async () => {
  const service = await startService();
  const old = await manage(service, ['keys', 'create', '--store', service.storeId]);
  const rotated = await manage(service, ['keys', 'rotate', old.id, '--overlap', '0h']);
  expect(await tryKey(service, old.key)).toBe(4);
  expect(await tryKey(service, rotated.key)).toBe(0);
  const again = ['service', 'keys', 'rotate', old.id, '--database', service.databaseFile];
  expect(await errorOf(again)).toMatchObject({ exitCode: 6, error: { code: 'state_conflict' } });
});

test('an overlap does not lengthen the life of a key that ends sooner', async () => {
  const service = await startService();
  const old = await manage(service, ['keys', 'create', '--store', service.storeId, '--expires-in-days', '1']);
  const rotated = await manage(service, ['keys', 'rotate', old.id, '--overlap', '4w']);
  expect(rotated.previous.expiresAt).toBe(old.expiresAt);
});

test('what is wrong with rights, times and values is exit 2 and names the flag', async () => {
  const service = await startService();
  const database = ['--database', service.databaseFile];
  const store = ['--store', service.storeId];
  const cases: [string[], RegExp][] = [
    [['keys', 'create', ...store, '--scopes', 'settings:read,settings:red'], /unknown scope "settings:red"/],
    [['keys', 'create', ...store, '--scopes', 'settings:read', '--preset', 'owner'], /--preset and --scopes/],
    [['keys', 'create', ...store, '--preset', 'boss'], /unknown preset "boss"/],
    [['keys', 'rotate', 'x', '--overlap', 'long'], /--overlap must be a time/],
    [
      ['stores', 'create', '--name', 'X', '--currency', 'XXQ', '--timezone', 'Mars'],
      /--currency .*\n {2}--timezone /,
    ],
    [['stores', 'create', '--name', ' '], /--name must not be empty/],
  ];
  for (const [args, message] of cases) {
    const { exitCode, error } = await errorOf(['service', ...args, ...database]);
    expect({ args, exitCode, message: error.message }).toEqual({
      args,
      exitCode: 2,
      message: expect.stringMatching(message),
    });
  }
  const invalid = await errorOf(['service', 'stores', 'create', '--name', 'X', '--slug', 'A B', ...database]);
  expect(invalid.error.fields).toMatchObject([{ field: 'slug', flag: '--slug' }]);
});

test('a store or key that is not there is exit 5, a taken slug exit 6', async () => {
  const service = await startService();
  const database = ['--database', service.databaseFile];
  for (const args of [
    ['keys', 'list', '--store', 'nobody'],
    ['keys', 'create', '--store', 'nobody'],
    ['keys', 'revoke', 'nobody', '--confirm', 'nobody'],
    ['keys', 'rotate', 'nobody'],
  ]) {
    expect(await errorOf(['service', ...args, ...database])).toMatchObject({
      exitCode: 5,
      error: { code: 'not_found', hint: expect.any(String) },
    });
  }
  const taken = ['service', 'stores', 'create', '--name', 'X', '--slug', 'juniper-ink', ...database];
  expect(await errorOf(taken)).toMatchObject({
    exitCode: 6,
    error: {
      code: 'slug_taken',
      message: 'Another store already has the slug "juniper-ink"',
      hint: 'choose another slug with --slug',
    },
  });
});
