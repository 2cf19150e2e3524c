import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { filesBelow } from '../helpers/cli.ts';
import { startLossyProxy } from '../helpers/lossy-proxy.ts';
import { newProgramMachine, type ProgramMachine } from '../helpers/program.ts';
import { typed } from '../helpers/typed.ts';

const webhook = 'https://discord.com/api/webhooks/4711/a-token';

/** Runs a command that must succeed and answers its JSON. */
async function done(machine: ProgramMachine, args: readonly string[]) {
  const { exitCode, stdout, stderr } = await machine.run([...args, '--json']);
  expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }, args.join(' ')).toEqual({
    exitCode: 0,
    stderr: '',
  });
  return JSON.parse(stdout);
}

test('all operations against a service in another process: no key in the clear', async () => {
  const server = newProgramMachine();
  const { id: storeId } = await done(server, ['service', 'stores', 'create', '--name', 'My store']);
  const { key } = await done(server, ['service', 'keys', 'create', '--store', storeId, '--preset', 'owner']);
  const service = server.start(['service', 'start', '--port', '0']);
  const [, origin = ''] = await service.shown(/Listening on (\S+) with/);
  const proxy = await startLossyProxy(origin);

  const machine = newProgramMachine();
  const login = await machine.run(
    ['auth', 'login', '--base-url', proxy.origin, '--store', storeId, '--with-key'],
    { stdin: { text: `${key}\n` } },
  );
  expect(login).toMatchObject({ exitCode: 0 });
  let seen = login.stdout + login.stderr;
  const before = proxy.requests.length;

  const run = async (...args: readonly string[]) => {
    const result = await machine.run([...args, '--json', '--debug']);
    expect(result.exitCode, result.stderr).toBe(0);
    seen += result.stdout + result.stderr;
    return JSON.parse(result.stdout);
  };
  await run('store', 'update', '--name', 'Renamed');
  await run('blog', 'create', '--title', 'Sale', '--content-md', '# Sale');
  const { id: dispute } = await run('disputes', 'open', '--reason', 'Lost', '--idempotency-key', 'd1');
  await run('disputes', 'show', dispute);
  await run('disputes', 'decide', dispute, '--status', 'won', '--resolution', 'Found.', '--confirm', dispute);
  await run('settings', 'show');
  await run('settings', 'save', '--quiet-hours-enabled');
  const backupArgs = ['--label', 'b', '--sections', 'store', '--idempotency-key', 'b1'];
  const { id: backup } = await run('backup', 'create', ...backupArgs);
  await run(
    ...['backup', 'restore', backup, '--sections', 'store', '--idempotency-key', 'r1'],
    ...['--confirm', backup, '--no-safety-backup'],
  );
  await run('notify', 'add-endpoint', '--name', 'Team', '--url', webhook, '--events', 'feedback_digest');
  await run('notify', 'mark-read', '--all');
  // A store of its own has no notice.
  const appeal = await machine.run(typed`reclaim appeal a-notice --text Ours. --confirm a-notice --debug`);
  expect(appeal.exitCode).toBe(5);
  seen += appeal.stdout + appeal.stderr;

  const sent = proxy.requests.slice(before);
  expect(sent).toHaveLength(17);
  for (const { rawHeaders, path: where } of sent) {
    const authorization = rawHeaders.findIndex((name) => name.toLowerCase() === 'authorization');
    expect(rawHeaders[authorization + 1]).toBe(`Bearer ${key}`);
    expect(where).not.toContain(key);
  }

  // The key is in the settings file, which is the owner's alone, and nowhere else.
  expect(seen).not.toContain(key);
  expect(seen).toContain('Bearer [redacted]');
  const settings = path.join(machine.configDirectory, 'settings.json');
  expect(statSync(settings).mode & 0o777).toBe(0o600);
  expect(readFileSync(settings, 'utf8')).toContain(key);
  const holders = [...filesBelow(machine.stateDirectory), ...filesBelow(server.stateDirectory)].filter(
    (file) => readFileSync(file).includes(key),
  );
  expect(holders).toEqual([]);

  // While a command runs, others see its arguments.
  let arguments_ = '';
  const running = machine.start(['settings', 'show']);
  proxy.decide(() => {
    arguments_ = readFileSync(`/proc/${running.process.pid}/cmdline`, 'utf8');
    return 'pass';
  });
  expect(await running.ended).toMatchObject({ exitCode: 0 });
  expect(arguments_).toContain('settings\0show');
  expect(arguments_).not.toContain(key);

  service.process.kill('SIGTERM');
  const stopped = await service.ended;
  expect(stopped).toMatchObject({ exitCode: 0 });
  expect(stopped.stdout + stopped.stderr).not.toContain(key);
  expect(filesBelow(server.stateDirectory).filter((file) => readFileSync(file).includes(key))).toEqual([]);
}, 120_000);
