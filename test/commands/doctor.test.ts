import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { accessTo, type CliResult, type Machine, machineFor, newMachine } from '../helpers/cli.ts';
import { answer, startFaultServer } from '../helpers/fault-server.ts';
import { setScene } from '../helpers/scene.ts';
import { logFiles } from '../helpers/seed-history.ts';
import { startService } from '../helpers/service.ts';

interface Found {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed' | 'not checked';
  readonly message: string;
}

interface Diagnosis extends CliResult {
  readonly findings: readonly Found[];
  /** What passed. */
  readonly of: Readonly<Record<string, Found | undefined>>;
  /** The error of the first problem. */
  readonly error: { readonly message?: string; readonly hint?: string };
}

async function diagnose(machine: Machine, ...args: string[]): Promise<Diagnosis> {
  const result = await machine.run(['doctor', '--json', ...args]);
  const findings: Found[] = JSON.parse(result.stdout);
  const last = result.stderr.trimEnd().split('\n').at(-1) ?? '';
  const { error } = result.exitCode === 0 ? { error: {} } : JSON.parse(last);
  return {
    ...result,
    findings,
    error,
    of: Object.fromEntries(
      findings
        .filter(({ status }) => status === 'ok' || status === 'warning')
        .map((found) => [found.check, found]),
    ),
  };
}

test('without any set-up it says what is missing, and makes no folder', async () => {
  const machine = newMachine();
  const { exitCode, findings, error } = await diagnose(machine);

  expect(exitCode).toBe(3);
  expect(findings).toEqual([
    { check: 'settings', status: 'failed', message: '--base-url URL, --store ID, STORECTL_API_KEY: not set' },
    { check: 'history', status: 'not checked', message: '' },
    { check: 'access', status: 'not checked', message: '' },
  ]);
  expect(error).toMatchObject({
    message: expect.stringContaining('--base-url'),
    hint: expect.stringContaining('storectl auth login'),
  });
  expect(existsSync(machine.stateDirectory)).toBe(false);
  expect(existsSync(machine.configDirectory)).toBe(false);
});

test('a CI job without its variables sees what is wrong, and what could not be checked', async () => {
  const { exitCode, stdout, stderr } = await newMachine({ CI: 'true' }).run(['doctor']);

  expect(exitCode).toBe(3);
  expect(stdout).toMatch(
    /^settings +failed +see the error below\nhistory +not checked\naccess +not checked\n$/,
  );
  expect(stderr).toMatch(/^error: required values are missing:\n {2}STORECTL_BASE_URL/);
});

test('a key without the scope of the check is right for its job', async () => {
  const { service, machine } = await setScene();
  const env = { STORECTL_API_KEY: await service.makeKey('ci-backup') };

  const doctor = await machine.run(['doctor'], { env });
  const status = await machine.run(['auth', 'status'], { env });

  expect(doctor).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^access +ok +the key works for store/m),
  });
  expect(status).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^Access +works\nScopes .*ci-backup\)$/m),
  });
});

test('the demo needs no set-up and has nothing wrong', async () => {
  const { exitCode, findings, of } = await diagnose(newMachine(), '--demo');
  expect(exitCode).toBe(0);
  expect(findings.map(({ check }) => check)).toEqual(['settings', 'history', 'access']);
  expect(of.access?.message).toContain('the key works');
});

test('a set-up in order: where it leads, and the key is never shown', async () => {
  const { access, machine } = await setScene();
  const { exitCode, stdout, stderr, of } = await diagnose(machine);

  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(of.settings).toEqual({
    check: 'settings',
    status: 'ok',
    message: `main → store ${access.storeId} @ ${new URL(access.origin).host}`,
  });
  expect(stdout).not.toContain(access.apiKey);

  const shown = await machine.run(['doctor']);
  expect(shown.stdout).toMatch(/^access +ok +the key works for store/m);
});

test('a stored key for another address is not sent there', async () => {
  const service = await startService();
  await using other = await startFaultServer([answer(200, {})]);
  const machine = newMachine();
  const login = ['auth', 'login', '--base-url', service.origin, '--store', service.storeId, '--with-key'];
  expect(await machine.run(login, { stdin: service.apiKey })).toMatchObject({ exitCode: 0 });
  expect((await diagnose(machine)).exitCode).toBe(0);

  const { exitCode, of, error, stdout, stderr } = await diagnose(machine, '--base-url', other.url);

  expect(exitCode).toBe(4);
  expect(of.access).toBeUndefined();
  expect(error.message).toContain(service.origin);
  expect(other.requests).toEqual([]);
  expect(stdout + stderr).not.toContain(service.apiKey);
});

test('a mistyped key is recognized without sending it', async () => {
  const service = await startService();
  await using server = await startFaultServer([answer(200, {})]);
  for (const apiKey of [service.apiKey.slice(0, -1), service.apiKey.replace(/.(.{8})$/, '-$1')]) {
    const { exitCode, of, error } = await diagnose(machineFor({ ...service, origin: server.url, apiKey }));
    expect(exitCode).toBe(2);
    expect(of.settings).toBeUndefined();
    expect(error.message).toContain('mistyped');
  }
  expect(server.requests).toEqual([]);
});

test.each([
  [401, 4, undefined],
  [403, 0, 'ok'],
  [404, 5, undefined],
  [418, 7, undefined],
  [429, 8, undefined],
  [503, 8, undefined],
])('a service that answers %i: exit %i', async (status, exitCode, finding) => {
  const scene = await setScene({
    answers: [answer(status, '', status === 503 ? { 'retry-after': '60' } : {})],
  });
  const found = await diagnose(scene.machine, '--timeout', '5');
  expect(found.exitCode).toBe(exitCode);
  expect(found.of.access?.status).toBe(finding);
});

test('a service that is unreachable or silent: exit 9 in good time', async () => {
  const gone = await setScene({ answers: [answer(200, {})] });
  await gone.server.close();
  const refused = await diagnose(gone.machine);
  expect(refused.exitCode).toBe(9);
  expect(refused.error.message).toContain('refused the connection');

  const silent = await setScene({ answers: [{ does: 'hang' }] });
  expect(await diagnose(silent.machine, '--timeout', '0.5')).toMatchObject({
    exitCode: 9,
    findings: [{ status: 'ok' }, { status: 'ok' }, { check: 'access', status: 'failed' }],
  });
});

test('files that cannot be used: exit 11', async () => {
  const machine = newMachine();
  mkdirSync(machine.configDirectory);
  writeFileSync(path.join(machine.configDirectory, 'settings.json'), '{');
  const settings = await diagnose(machine);
  expect(settings.exitCode).toBe(11);
  expect(settings.error.message).toContain('not valid JSON');
  const shown = await machine.run(['doctor']);
  expect(shown.stdout).toMatch(/^settings +failed +see the error below\n/);
  expect(shown.stderr).toMatch(/^error: cannot read settings from .*\n {2}fix the file, or move it away/);

  const another = newMachine();
  writeFileSync(path.join(another.folder, '.storectl.json'), '{"apiKey":"x"}');
  const folder = await diagnose(another);
  expect(folder.exitCode).toBe(11);
  expect(folder.error.message).toContain('it may only have "profile" and "storeId"');
});

test('a profile that is not there: exit 2', async () => {
  const { exitCode, error } = await diagnose(newMachine(), '--profile', 'outlet');
  expect(exitCode).toBe(2);
  expect(error.message).toContain('outlet');
});

test('a state folder that cannot be used: exit 11', async () => {
  const scene = await setScene({ answers: [answer(200, {})] });
  writeFileSync(scene.machine.stateDirectory, '');
  const { exitCode, of, error } = await diagnose(scene.machine);
  expect(exitCode).toBe(11);
  expect(of.history).toBeUndefined();
  expect(error.hint).toContain('STORECTL_STATE_DIR');
  expect((await scene.machine.run(['doctor', '-q'])).stdout).toBe('');
});

test('history: open records are warnings, a torn record is a problem', async () => {
  const scene = await setScene({ answers: [{ does: 'drop' }, answer(200, {})] });
  const { machine } = scene;
  expect(await machine.run(['api', 'POST', '/v1/x'])).toMatchObject({ exitCode: 10 });
  const folder = path.dirname(logFiles(machine)[0] ?? '');

  const open = await diagnose(machine);

  expect(open.exitCode).toBe(0);
  expect(open.of.history).toMatchObject({
    status: 'warning',
    message: expect.stringMatching(/^1 change recorded, 1 open, the oldest .*\nrun `storectl resume`$/),
  });

  const torn = path.join(folder, '000002-20260101-aaaaaa-api.open.jsonl');
  writeFileSync(torn, '{"format":1');
  const damaged = await diagnose(machine);
  expect(damaged.exitCode).toBe(11);
  expect(damaged.error).toMatchObject({
    message: expect.stringContaining(`${torn} has no readable first line`),
    hint: expect.stringContaining('storectl history repair'),
  });
});

test('a history that cannot be written is a problem, before anything is changed', async () => {
  const { origin, storeId, apiKey } = await startService();
  const machine = newMachine({
    ...accessTo({ origin, storeId, apiKey }),
    STORECTL_STATE_DIR: '/proc/storectl',
  });

  const { exitCode, of, error } = await diagnose(machine);

  expect(exitCode).toBe(11);
  expect(of.settings).toMatchObject({ status: 'ok' });
  expect(of.history).toBeUndefined();
  expect(error.message).toMatch(/cannot write .*\/proc/);
});
