import { describe, expect, test } from 'vitest';
import { machineFor } from '../../helpers/cli.ts';
import { answer, type Behaviour, type FaultServer, startFaultServer } from '../../helpers/fault-server.ts';

const backupId = '0bc2b798-c42b-4157-88ab-8dab0548c381';
const restore = ['backup', 'restore', backupId, '--sections', 'store', '--confirm', backupId, '--json'];
const again = [...restore, '--idempotency-key', 'nightly-1', '--timeout', '1'];
const errorIn = (stderr: string) => JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error;

test.each([
  ['refused', answer(422, { code: 'validation_failed', detail: 'no' })],
  ['not answered', answer(503)],
])(
  'a restore in doubt stays in doubt where the safety backup before its next attempt is %s',
  async (_, behaviour) => {
    const lost = await startFaultServer([answer(201, { id: 'safety-1' }), answer(500)]);
    const machine = machineFor({ origin: lost.url, storeId: 's-1', apiKey: 'key-of-a-test' });
    const first = await machine.run(again);
    expect(first.exitCode).toBe(10);
    await lost.close();

    await using _refusing = await startFaultServer([behaviour], { port: lost.port });
    const second = await machine.run(again);
    expect(second.exitCode).toBe(10);
    const error = errorIn(second.stderr);
    expect(error).toMatchObject({
      outcome: 'unknown',
      operationId: errorIn(first.stderr).operationId,
      safetyBackupId: 'safety-1',
    });
    expect(error.message).toContain('the safety backup failed');
    expect(error.message).toContain('may have been applied');
    expect(error.hint).toContain(`storectl resume ${error.operationId}`);
  },
);

describe('what undoes a restore that three commands have sent', () => {
  const replayed = { 'idempotency-replayed': 'true' };

  test.each([
    ['the first safety backup, if the response is replayed', answer(201, {}, replayed), 'safety-1'],
    [
      'the first safety backup, if the service does not say which attempt it applied',
      answer(201, {}),
      'safety-1',
    ],
    [
      'the backup that the service took itself, if the response names it',
      answer(201, { preRestoreBackupId: 'before' }, replayed),
      'before',
    ],
  ])('%s', async (_, applied, undoneBy) => {
    let server: FaultServer | null = null;
    const serve = async (behaviours: readonly Behaviour[]) => {
      await server?.close();
      server = await startFaultServer(behaviours, { port: server?.port ?? 0 });
      return server;
    };
    const { url } = await serve([answer(201, { id: 'safety-1' }), answer(500)]);
    const machine = machineFor({ origin: url, storeId: 's-1', apiKey: 'key-of-a-test' });
    const { exitCode, stderr } = await machine.run([...restore, '--timeout', '1']);
    expect(exitCode).toBe(10);
    const { operationId: id } = errorIn(stderr);
    const resume = ['resume', id, '--json', '--timeout', '1'];
    await serve([answer(201, { id: 'safety-2' }), answer(500)]);
    expect((await machine.run(resume)).exitCode).toBe(10);
    await serve([answer(201, { id: 'safety-3' }), applied]);
    expect(await machine.run(resume)).toMatchObject({ exitCode: 0 });

    const shown = await machine.run(['history', 'show', id, '--json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({ safetyBackupId: undoneBy });
    const last = await serve([answer(201, { id: 'safety-4' }), answer(201, {})]);
    expect(await machine.run(['undo', id, '--confirm', id])).toMatchObject({ exitCode: 0 });
    expect(last.requests.at(-1)?.path).toContain(`/backups/${undoneBy}/restore`);
    await last.close();
  });
});

test('a restore that was not begun is named with the key that its user gave, which is one effect', async () => {
  const lost = await startFaultServer([answer(500)]);
  const machine = machineFor({ origin: lost.url, storeId: 's-1', apiKey: 'key-of-a-test' });
  expect(await machine.run(again)).not.toMatchObject({ exitCode: 0 });
  await lost.close();

  await using _answering = await startFaultServer([answer(201, { id: 'safety-1' })], { port: lost.port });
  const resumed = await machine.run(['resume']);
  expect(resumed.stderr).toContain(
    `To restore it: storectl backup restore ${backupId} --sections store --idempotency-key nightly-1\n`,
  );
});
