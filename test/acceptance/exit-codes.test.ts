import { expect, test } from 'vitest';
import { setScene } from '../helpers/scene.ts';

test('a reader that has seen enough is no error', async () => {
  const { machine } = await setScene({ built: true });
  const result = await machine.shell('storectl settings show --json | head -c 1; echo');
  expect(result).toMatchObject({ exitCode: 0, stdout: '{\n' });
  expect(result.stderr).not.toContain('EPIPE');
});
