import { expect, test } from 'vitest';
import { machineFor } from '../../../helpers/cli.ts';
import { answerEach, response, serve } from '../../../helpers/raw-server.ts';

test('a restore that is refused is no success, whatever the connection of its safety backup still carries', async () => {
  const id = '01a2c1f0-7d1e-7c3a-9b52-0f48197d60fe';
  const paths: string[] = [];
  // Repeats the first response of each connection for every further request on it.
  await using scene = await serve((socket) => {
    let first: string | undefined;
    answerEach(socket, (path) => {
      // What the backup would change cannot be asked.
      if (path.endsWith(id)) return response(404, {});
      paths.push(path);
      first ??= path.endsWith('/restore')
        ? response(422, { code: 'validation_failed', title: 'Invalid request' })
        : response(201, { id: '01a2c1f0-7d1e-7c3a-9b52-0f48197d60ff', sections: ['store'] });
      return first;
    });
  });
  const machine = machineFor({ origin: scene.url, storeId: 's-1', apiKey: 'key-of-a-test' });

  const restored = await machine.run(['backup', 'restore', id, '--sections', 'store', '--confirm', id]);

  expect(restored.exitCode, restored.stderr).toBe(7);
  expect(restored.stderr).not.toContain('Restored');
  expect(paths.map((path) => path.split('/').at(-1))).toEqual(['backups', 'restore']);
});
