import { expect, test } from 'vitest';
import { machineFor } from '../../helpers/cli.ts';
import { answer, startFaultServer } from '../../helpers/fault-server.ts';

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
