import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type Machine, newMachine } from '../helpers/cli.ts';
import { startService } from '../helpers/service.ts';

const create = ['backup', 'create', '--label', 'nightly', '--sections', 'store'];

/** A service of its own, and a profile for it. */
async function logIn(machine: Machine, profile: string) {
  const service = await startService();
  const { origin, storeId, apiKey } = service;
  const target = ['--profile', profile, '--base-url', origin, '--store', storeId];
  await machine.run(['auth', 'login', ...target, '--with-key'], { stdin: apiKey });
  return service;
}

async function scene() {
  const machine = newMachine();
  const services = { shop: await logIn(machine, 'shop'), outlet: await logIn(machine, 'outlet') };
  return { machine, services, both: [...create, '--profile', 'shop', '--profile', 'outlet'] };
}

async function backupsOf(machine: Machine, profile: string) {
  return JSON.parse((await machine.run(['backup', 'list', '--profile', profile, '--json'])).stdout);
}

test('several profiles: one backup for each store, with a history of its own', async () => {
  const { machine, both } = await scene();

  const result = await machine.run(both);

  expect(result.exitCode).toBe(0);
  const [shop] = await backupsOf(machine, 'shop');
  const [outlet] = await backupsOf(machine, 'outlet');
  expect(shop.id).not.toBe(outlet.id);
  expect(result.stdout.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^PROFILE +BACKUP +RESULT$/),
    expect.stringMatching(`^shop +${shop.id} +created$`),
    expect.stringMatching(`^outlet +${outlet.id} +created$`),
  ]);
  // The answers were told: the same command makes new backups.
  const again = await machine.run([...both, '-q']);
  expect(again).toMatchObject({ exitCode: 0, stderr: '' });
  expect(again.stdout.trim().split('\n')).toHaveLength(2);
  expect(again.stdout).not.toContain(shop.id);
});

test('--all-profiles prints one JSON array, and writes it to --output-file', async () => {
  const { machine } = await scene();

  const result = await machine.run([...create, '--all-profiles', '--json', '--output-file', 'out.json']);

  const printed = JSON.parse(result.stdout);
  expect(printed).toMatchObject([
    { profile: 'outlet', backup: { label: 'nightly', sections: ['store'] }, error: null },
    { profile: 'shop', backup: { label: 'nightly', sections: ['store'] }, error: null },
  ]);
  expect(JSON.parse(readFileSync(path.join(machine.folder, 'out.json'), 'utf8'))).toEqual(printed);
  const fields = await machine.run([...create, '--all-profiles', '--fields', 'profile,backup.label']);
  expect(JSON.parse(fields.stdout)[0]).toEqual({ profile: 'outlet', backup: { label: 'nightly' } });
});

test('a store that fails does not stop the others, and the exit code is the most severe', async () => {
  const { machine, both } = await scene();
  const closed = ['--base-url', 'http://127.0.0.1:9', '--store', 'gone'];
  await machine.run(['profile', 'set', 'gone', ...closed]);
  const args = [...create, '--profile', 'gone', ...both.slice(create.length), '--json'];

  const result = await machine.run(args);

  expect(result.exitCode).toBe(4);
  expect(JSON.parse(result.stdout)).toMatchObject([
    { profile: 'gone', backup: null, error: { code: 'no_key' } },
    { profile: 'shop', error: null },
    { profile: 'outlet', error: null },
  ]);
  const { error } = JSON.parse(result.stderr.trim().split('\n').at(-1) ?? '');
  expect(error.message).toMatch(/^1 of 3 stores failed:\n {2}gone: no key for/);
});

test('--idempotency-from ci: the job that runs again adds no backup', async () => {
  const { machine, both } = await scene();
  const env = { STORECTL_CI_RUN_ID: '7' };
  const args = [...both, '--idempotency-from', 'ci', '-q'];

  const first = await machine.run(args, { env });
  const second = await machine.run(args, { env });

  expect(first.stdout.trim().split('\n')).toHaveLength(2);
  expect(second.stdout).toBe(first.stdout);
});

test('a dry run sends nothing and shows the request for each store', async () => {
  const { machine, services, both } = await scene();

  const result = await machine.run([...both, '--dry-run', '--json']);

  expect(JSON.parse(result.stdout).map(({ backup }: { backup: { url: string } }) => backup.url)).toEqual(
    [services.shop, services.outlet].map(({ origin }) => expect.stringContaining(origin)),
  );
  expect((await machine.run(['history', 'list', '--profile', 'shop', '-q'])).stdout).toBe('');
});

test('profiles that name one store: backed up once', async () => {
  const { machine, services, both } = await scene();
  const { origin, storeId, apiKey } = services.shop;
  const target = ['--profile', 'twin', '--base-url', origin, '--store', storeId];
  await machine.run(['auth', 'login', ...target, '--with-key'], { stdin: apiKey });

  const result = await machine.run([...both, '--profile', 'twin', '--json']);

  expect(JSON.parse(result.stdout)).toHaveLength(2);
  expect(result.stderr).toContain('Profiles shop and twin use the same store: it is backed up once.');
});

test.each([
  [['--store', 'x'], {}, '--store cannot be used with several profiles'],
  [['--idempotency-key', 'x'], {}, '--idempotency-key cannot be used with several profiles'],
  [[], { STORECTL_STORE_ID: 'x' }, 'the store of profile shop comes from the environment'],
  [[], { STORECTL_API_KEY: 'some-long-key' }, 'the key of profile shop comes from the environment'],
  [['--all-profiles'], {}, '--all-profiles cannot be used with --profile or --demo'],
])('what would be the same for every store is refused: %j %j', async (more, env, says) => {
  const { machine, both } = await scene();

  const result = await machine.run([...both, ...more], { env });

  expect(result).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining(says) });
});
