import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { machineFor } from '../../../helpers/cli.ts';
import { answer, startFaultServer } from '../../../helpers/fault-server.ts';

test('posts in doubt are counted apart from those that were not created', async () => {
  await using server = await startFaultServer([
    answer(422, { code: 'validation_failed', detail: 'No' }),
    { does: 'drop' },
  ]);
  const machine = machineFor({ origin: server.url, storeId: 's', apiKey: 'key-1234567' });
  for (const name of ['a', 'b'])
    writeFileSync(path.join(machine.folder, `${name}.md`), `# ${name}\n\nText.\n`);

  const { exitCode, stderr } = await machine.run(['blog', 'create', 'a.md', 'b.md']);

  expect(exitCode).toBe(10);
  expect(stderr).toContain('error: 1 of 2 posts not created, 1 in doubt\n');
});
