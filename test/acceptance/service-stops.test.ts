import { expect, onTestFinished, test } from 'vitest';
import { describeStore } from '../../src/service/index.ts';
import { createId } from '../../src/service/model/ids.ts';
import { newProgramMachine } from '../helpers/program.ts';
import { typed } from '../helpers/typed.ts';
import { openTestStorage, startService, temporaryFile } from '../service/helpers/service.ts';

test('SIGTERM during restores: every one that was committed is answered, and no other is there', async () => {
  const database = await temporaryFile('service.db');
  const storage = await openTestStorage(database);
  const service = await startService({ storage });
  await service.call('blog.create', '', { title: 'One', contentMd: 'x'.repeat(200_000) });
  const backup = { label: 'x', sections: ['blog', 'store'], idempotencyKey: 'b' };
  const { id } = (await service.call('backup.create', '', backup)).body;

  const program = newProgramMachine().start(
    typed`service start --port 0 --rate-limit 0 --database ${database}`,
  );
  onTestFinished(() => void program.process.kill('SIGKILL'));
  const [, origin = ''] = await program.shown(/Listening on (\S+)/);
  const answered = new Set<string>();
  const restore = async () => {
    const answer = await globalThis.fetch(
      `${origin}/v1/stores/${service.storeId}/operations/backups/${id}/restore`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ sections: ['blog', 'store'], idempotencyKey: createId() }),
      },
    );
    expect(answer.status).toBe(200);
    answered.add(JSON.parse(await answer.text()).preRestoreBackupId);
    if (answered.size === 20) program.process.kill('SIGTERM');
  };
  // Each client goes on until it is no longer let in.
  const clients = Array.from({ length: 16 }, async () => {
    for (;;) await restore();
  });
  await Promise.allSettled(clients);
  expect(await program.ended).toMatchObject({ exitCode: 0 });

  const { backups } = await describeStore(storage, service.storeId);
  const made = backups.map((one) => one.id).filter((one) => one !== id);
  expect(made.length).toBeGreaterThanOrEqual(20);
  expect(new Set(made)).toEqual(answered);
});
