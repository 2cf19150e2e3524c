import { expect, test } from 'vitest';
import { type Machine, newMachine } from '../../helpers/cli.ts';
import { startDiscordReceiver, status, taken } from '../../helpers/discord-receiver.ts';
import { setScene } from '../../helpers/scene.ts';

/** A scene with an endpoint in its store, the receiver of its messages, and commands on the store and its database. */
async function addReceiver() {
  const { service, machine } = await setScene();
  const receiver = await startDiscordReceiver();
  const run = (...args: string[]) =>
    machine.run([...args, '--store', service.storeId, ...(args[0] === 'service' ? database : [])]);
  const database = ['--database', service.databaseFile];
  await run(
    ...['notify', 'add-endpoint', '--name', 'Team', '--events', 'feedback_digest'],
    ...['--url', 'https://discord.com/api/webhooks/7/very-secret'],
  );
  // The example store's own endpoint and its quiet hours are not what is tested.
  await service.storage.write(async (db) => {
    await db.deleteFrom('endpoints').where('name', '!=', 'Team').execute();
    await db.deleteFrom('operationsSettings').execute();
  });
  const list = async (...args: string[]) =>
    JSON.parse((await run('service', 'deliveries', 'list', ...args, '--json')).stdout);
  return { service, receiver, machine, run, list };
}

/** Runs the service until `until` has happened, then tells it to stop. */
async function serve(machine: Machine, args: readonly string[], until: () => Promise<unknown>) {
  const stop = new AbortController();
  const ended = machine.run(['service', 'start', '--port', '0', ...args], { signal: stop.signal });
  await until();
  stop.abort();
  return ended;
}

test('emit, start, list and retry: from an event to a message, a dead letter and a second try', async () => {
  const { service, receiver, machine, run, list } = await addReceiver();
  receiver.script('7', [status(404), taken]);
  const start = ['--database', service.databaseFile, '--delivery-sink', receiver.url];

  const emitted = await run('service', 'emit', '--event', 'feedback_digest', '--data', 'summary=a=b');
  const [, eventId = ''] = /^ID {2}([0-9a-f-]{36})\n$/.exec(emitted.stdout) ?? [];
  expect(emitted).toMatchObject({ exitCode: 0, stderr: '✓ Emitted event feedback_digest\n' });
  expect(await list('--state', 'pending')).toMatchObject([
    { eventId, event: 'feedback_digest', attempts: 0 },
  ]);

  const first = await serve(machine, start, () => receiver.received(1));
  expect(first).toMatchObject({
    exitCode: 0,
  });
  expect(first.stderr).toContain('Listening on http://127.0.0.1:');
  expect(first.stderr).toContain('"outcome":"disable"');
  expect(receiver.messages()).toMatchObject([{ eventId, description: 'a=b' }]);
  const [dead] = await list();
  expect(dead).toMatchObject({
    storeId: service.storeId,
    endpoint: 'Team',
    url: 'https://discord.com/api/webhooks/7/***',
    state: 'dead',
    attempts: 1,
    nextAttemptAt: null,
    lastError: 'returned status 404',
  });
  const table = await run('service', 'deliveries', 'list');
  expect(table.stdout).toMatch(
    /^ID +EVENT +ENDPOINT +STATE +ATTEMPTS +CREATED +NEXT ATTEMPT +LAST ERROR\n\S+ +\S+ +Team +dead +1 +(.* ago|just now) +- /,
  );

  expect(await run('service', 'deliveries', 'retry', dead.id)).toMatchObject({ exitCode: 0, stdout: '' });
  const second = await serve(machine, [...start, '--json'], () => receiver.received(2));
  expect(JSON.parse(second.stdout)).toEqual({
    origin: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    database: service.databaseFile,
  });
  expect(await list('--state', 'delivered')).toMatchObject([{ id: dead.id, eventId }]);
  expect(JSON.stringify([first, second, table, await list()])).not.toContain('very-secret');
});

test('with --no-delivery nothing is sent', async () => {
  const { service, receiver, machine, run, list } = await addReceiver();
  await run('service', 'emit', '--event', 'feedback_digest');
  const args = ['--database', service.databaseFile, '--delivery-sink', receiver.url, '--no-delivery'];
  // Longer than an idle worker sleeps.
  await serve(machine, args, () => new Promise((resolve) => setTimeout(resolve, 800)));
  expect(receiver.messages()).toEqual([]);
  expect(await list()).toMatchObject([{ state: 'pending', attempts: 0 }]);
});

test('held and pending deliveries are listed apart', async () => {
  const { service, receiver, machine, run, list } = await addReceiver();
  const times = ['--quiet-hours-start', '00:00', '--quiet-hours-end', '23:59'];
  // Not the whole day: the minute that is left out must not be now.
  const zone = new Date().getUTCHours() === 23 ? 'Asia/Tokyo' : 'UTC';
  await run('settings', 'save', '--quiet-hours-enabled', ...times, '--quiet-hours-timezone', zone);
  await run('service', 'emit', '--event', 'feedback_digest');
  expect(await list('--state', 'pending')).toMatchObject([{ state: 'pending', attempts: 0 }]);

  const isHeld = async () => {
    while ((await list('--state', 'held')).length === 0)
      await new Promise((resolve) => setTimeout(resolve, 50));
  };
  await serve(machine, ['--database', service.databaseFile, '--delivery-sink', receiver.url], isHeld);
  expect(await list('--state', 'held')).toMatchObject([{ state: 'held', attempts: 0 }]);
  expect(await list('--state', 'pending')).toEqual([]);
  expect(await list('--state', 'dead')).toEqual([]);
  expect(receiver.messages()).toEqual([]);
});

test.each([
  [['service', 'emit'], 3, '--event NAME'],
  [['service', 'emit', '--event', 'backup_created'], 2, 'the service emits the others itself'],
  [['service', 'emit', '--event', 'feedback_digest', '--data', 'no value'], 2, 'KEY=VALUE'],
  [['service', 'deliveries', 'list', '--state', 'lost'], 2, 'pending, held, delivered, dead'],
  [['service', 'deliveries', 'list', '--limit', '0'], 2, '--limit'],
  [['service', 'deliveries', 'retry'], 3, '<id> or --all-dead is required'],
  [['service', 'deliveries', 'retry', 'x', '--all-dead'], 2, 'cannot be used together'],
  [['service', 'deliveries', 'retry', 'no-such-id'], 5, 'error: Delivery no-such-id not found\n'],
  [['service', 'emit', '--event', 'feedback_digest', '--dry-run'], 2, 'does not support --dry-run'],
  [['service', 'deliveries', 'retry', '--all-dead', '--dry-run'], 2, 'does not support --dry-run'],
  [['service', 'start', '--delivery-sink', 'https://discord.com'], 2, 'on this machine'],
])('%j is refused', async (args, exitCode, text) => {
  const { run } = await addReceiver();
  const result = await run(...args);
  expect(result).toMatchObject({ exitCode, stdout: '' });
  expect(result.stderr).toContain(text);
});

test('an event of a store that is not there is refused', async () => {
  const { service, machine } = await addReceiver();
  const args = ['service', 'emit', '--event', 'feedback_digest', '--database', service.databaseFile];
  expect(await machine.run([...args, '--store', 'nobody'])).toMatchObject({ exitCode: 5, stdout: '' });
});

test('the demo sends nothing, whatever happens in it', async () => {
  const machine = newMachine();
  expect((await machine.run(['--demo', 'disputes', 'open', '--reason', 'x', '--json'])).exitCode).toBe(0);
  const database = `${machine.stateDirectory}/demo/store.db`;
  const listed = await machine.run(['service', 'deliveries', 'list', '--database', database, '--json']);
  const attempts = JSON.parse(listed.stdout).map((delivery: { attempts: number }) => delivery.attempts);
  expect(new Set(attempts)).toEqual(new Set([0]));
});
