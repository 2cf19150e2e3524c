import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type CliResult, type Machine, machineFor, newMachine } from '../../helpers/cli.ts';
import { answer, startFaultServer } from '../../helpers/fault-server.ts';
import { fakeService, startStore } from '../../helpers/scene.ts';
import { logFiles } from '../../helpers/seed-history.ts';
import { startService } from '../../helpers/service.ts';

interface Found {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'problem' | 'skipped';
  readonly message: string;
  readonly fix: string | null;
}

interface Diagnosis extends CliResult {
  readonly findings: readonly Found[];
  /** The last finding of each check. */
  readonly of: Readonly<Record<string, Found | undefined>>;
}

async function diagnose(machine: Machine, ...args: string[]): Promise<Diagnosis> {
  const result = await machine.run(['doctor', '--json', ...args]);
  const findings: Found[] = JSON.parse(result.stdout);
  return { ...result, findings, of: Object.fromEntries(findings.map((found) => [found.check, found])) };
}

test('without any set-up it says what is missing, and makes no folder', async () => {
  const machine = newMachine();
  const { exitCode, findings, of } = await diagnose(machine);

  expect(exitCode).toBe(3);
  expect(findings.filter(({ status }) => status === 'problem').map(({ check }) => check)).toEqual([
    'address',
    'store',
    'key',
  ]);
  expect(of.address?.fix).toContain('storectl auth login');
  const needsNothing = (status: string) => status === 'ok' || status === 'skipped';
  expect(findings.every(({ status, fix }) => needsNothing(status) === (fix === null))).toBe(true);
  expect(existsSync(machine.stateDirectory)).toBe(false);
  expect(existsSync(machine.configDirectory)).toBe(false);
});

test('the demo needs no set-up and has nothing wrong', async () => {
  const { exitCode, findings, of } = await diagnose(newMachine(), '--demo');
  expect(exitCode).toBe(0);
  expect(findings.map(({ status }) => status)).not.toContain('problem');
  expect(of.access?.message).toContain('the key works');
});

test('a set-up in order: where each value comes from, and the key is never shown', async () => {
  const { service, machine } = await startStore();
  const { exitCode, stdout, stderr, of, findings } = await diagnose(machine);

  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(of.address?.message).toBe(`${service.origin}/ (from the environment)`);
  expect(of.store?.message).toBe(`${service.storeId} (from the environment)`);
  expect(of.key?.message).toContain('well-formed (from the environment)');
  expect(stdout).not.toContain(service.apiKey);
  for (const finding of findings) {
    expect(Object.keys(finding)).toEqual(['check', 'status', 'message', 'fix']);
  }

  const shown = await machine.run(['doctor']);
  expect(shown.stdout).toMatch(/^access +ok +the key works for store/m);
});

test('a stored key for another address is not sent there', async () => {
  const service = await startService();
  await using other = await startFaultServer([answer(200, {})]);
  const machine = newMachine();
  const login = ['auth', 'login', '--base-url', service.origin, '--store', service.storeId, '--with-key'];
  expect(await machine.run(login, { stdin: service.apiKey })).toMatchObject({ exitCode: 0 });
  const stored = await diagnose(machine);
  expect(stored.exitCode).toBe(0);
  expect(stored.of.key?.message).toContain(`bound to ${service.origin}`);

  const { exitCode, of, stdout } = await diagnose(machine, '--base-url', other.url);

  expect(exitCode).toBe(4);
  expect(of.key).toMatchObject({ status: 'problem', message: expect.stringContaining(service.origin) });
  expect(other.requests).toEqual([]);
  expect(stdout).not.toContain(service.apiKey);
});

test('a mistyped key is recognized without sending it', async () => {
  const service = await startService();
  await using server = await startFaultServer([answer(200, {})]);
  for (const apiKey of [service.apiKey.slice(0, -1), service.apiKey.replace(/.(.{8})$/, '-$1')]) {
    const { exitCode, of } = await diagnose(machineFor({ ...service, origin: server.url, apiKey }));
    expect(exitCode).toBe(4);
    expect(of.key).toMatchObject({ status: 'problem', message: expect.stringContaining('mistyped') });
  }
  expect(server.requests).toEqual([]);
});

test.each([
  [401, 4, 'problem'],
  [403, 0, 'ok'],
  [404, 5, 'problem'],
  [418, 7, 'problem'],
  [429, 8, 'problem'],
  [503, 8, 'problem'],
])('a service that answers %i: exit %i', async (status, exitCode, finding) => {
  const scene = await fakeService(answer(status, '', status === 503 ? { 'retry-after': '60' } : {}));
  const found = await diagnose(scene.machine, '--timeout', '5');
  expect(found.exitCode).toBe(exitCode);
  expect(found.of.access?.status).toBe(finding);
});

test('a service that is unreachable or silent: exit 9 in good time', async () => {
  const gone = await fakeService(answer(200, {}));
  await gone.server.close();
  const refused = await diagnose(gone.machine);
  expect(refused.exitCode).toBe(9);
  expect(refused.of.access?.message).toContain('refused the connection');

  const silent = await fakeService({ does: 'hang' });
  expect(await diagnose(silent.machine, '--timeout', '0.5')).toMatchObject({
    exitCode: 9,
    of: { access: { status: 'problem' } },
  });
});

test('settings that others could read are a warning', async () => {
  const machine = newMachine();
  await machine.run(['profile', 'set', 'main', '--base-url', 'http://127.0.0.1:1', '--store', 's']);
  expect((await diagnose(machine)).of.settings?.status).toBe('ok');
  const file = path.join(machine.configDirectory, 'settings.json');
  chmodSync(file, 0o644);

  const { of } = await diagnose(machine);

  expect(of.settings).toMatchObject({ status: 'warning', message: `other users could read ${file}` });
  expect((await diagnose(machine)).of.settings?.status).toBe('ok');
});

test('files that cannot be used: exit 11, and the other checks still run', async () => {
  const machine = newMachine();
  mkdirSync(machine.configDirectory);
  writeFileSync(path.join(machine.configDirectory, 'settings.json'), '{');
  const settings = await diagnose(machine);
  expect(settings.exitCode).toBe(11);
  expect(settings.of.settings).toMatchObject({
    status: 'problem',
    message: expect.stringContaining('not valid JSON'),
  });
  for (const check of ['profile', 'address', 'store', 'key', 'access', 'history']) {
    expect(settings.of[check]).toEqual({
      check,
      status: 'skipped',
      message: 'fix "settings" first',
      fix: null,
    });
  }
  expect((await machine.run(['doctor'])).stdout).toMatch(/^access +skipped +fix "settings" first$/m);

  const another = newMachine();
  writeFileSync(path.join(another.folder, '.storectl.json'), '{"apiKey":"x"}');
  const folder = await diagnose(another);
  expect(folder.exitCode).toBe(11);
  expect(folder.of.folder).toMatchObject({ status: 'problem', message: expect.stringContaining('"apiKey"') });
});

test('.storectl.json: what it sets is shown, a byte order mark is no harm', async () => {
  const machine = newMachine();
  writeFileSync(path.join(machine.folder, '.storectl.json'), '\ufeff{"storeId":"store-9"}');
  const { of } = await diagnose(machine);
  expect(of.folder?.message).toContain('sets storeId store-9');
  expect(of.store?.message).toBe('store-9 (from .storectl.json)');
});

test('a profile that is not there: exit 2', async () => {
  const { exitCode, of } = await diagnose(newMachine(), '--profile', 'outlet');
  expect(exitCode).toBe(2);
  expect(of.profile).toMatchObject({ status: 'problem', message: expect.stringContaining('outlet') });
});

test.each(['con', 'NUL.txt', 'a.'])('the profile %s could have no folder on Windows', async (name) => {
  const { exitCode, of } = await diagnose(newMachine(), '--profile', name);
  expect(exitCode).toBe(2);
  expect(of.usage).toMatchObject({ status: 'problem', fix: expect.stringContaining('Windows') });
});

test('a state folder that cannot be used: exit 11', async () => {
  const scene = await fakeService(answer(200, {}));
  writeFileSync(scene.machine.stateDirectory, '');
  const { exitCode, of } = await diagnose(scene.machine);
  expect(exitCode).toBe(11);
  expect(of.history).toMatchObject({ status: 'problem', fix: expect.stringContaining('STORECTL_STATE_DIR') });
  expect((await scene.machine.run(['doctor', '-q'])).stdout).toBe('history\n');
});

test('history: open records are warnings, a torn record is a problem', async () => {
  const scene = await fakeService({ does: 'drop' }, answer(200, {}));
  const { machine } = scene;
  expect(await machine.run(['api', 'POST', '/v1/x'])).toMatchObject({ exitCode: 10 });
  const folder = path.dirname(logFiles(machine)[0] ?? '');

  const open = await diagnose(machine);

  expect(open.exitCode).toBe(0);
  expect(open.of.history?.message).toBe(`1 record in ${folder}`);
  expect(open.of.open).toMatchObject({ status: 'warning', fix: 'run `storectl resume`' });

  chmodSync(folder, 0o755);
  writeFileSync(path.join(folder, '000002-20260101-aaaaaa-api.open.jsonl'), '{"format":1');
  const torn = await diagnose(machine);
  expect(torn.exitCode).toBe(11);
  expect(torn.of.record).toMatchObject({
    status: 'problem',
    message: expect.stringContaining('has no readable first line'),
  });
  expect(torn.of.history).toMatchObject({ status: 'warning', fix: expect.stringContaining('chmod 700') });
});
