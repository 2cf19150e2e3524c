import { expect, test } from 'vitest';
import { setScene } from '../../../helpers/scene.ts';

const nobody = '00000000-0000-4000-8000-000000000000';

test('an id that does not exist: the error names its kind, the id and the store', async () => {
  const { service, machine } = await setScene();
  const result = await machine.run(['disputes', 'show', nobody]);
  expect(result).toMatchObject({ exitCode: 5 });
  expect(result.stderr).toContain(`error: dispute ${nobody} not found in store ${service.storeId}\n`);
  expect(result.stderr).toContain('run `storectl disputes list` to see known ids');
});

test('a store that does not exist or is not for the key: the error names the store', async () => {
  const { machine } = await setScene();
  const result = await machine.run(['store', 'update', '--name', 'x', '--store', nobody]);
  expect(result).toMatchObject({ exitCode: 5 });
  expect(result.stderr).toContain(`error: store ${nobody} not found, or the key is not for this store\n`);
});
