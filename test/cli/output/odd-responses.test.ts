import { describe, expect, test } from 'vitest';
import { answer } from '../../helpers/fault-server.ts';
import { setScene } from '../../helpers/scene.ts';
import { typed } from '../../helpers/typed.ts';

const create = ['backup', 'create', '--label', 'x', '--sections', 'store'];

describe('an answer that is not what the contract says', () => {
  test.each([null, [1, 2], 'text', {}])('%j: -q prints nothing, and does not end with 0', async (body) => {
    const { machine } = await setScene({ answers: [answer(201, JSON.stringify(body))] });

    const { exitCode, stdout, stderr } = await machine.run([...create, '-q']);

    expect(stdout).toBe('');
    expect(stderr).toMatch(/contains no id/);
    expect(exitCode).toBe(12);
  });

  test.each([
    [typed`store update --name Shop`, 'Updated the store'],
    [typed`blog create --title Sale --content-md Text`, 'Created post "Sale"'],
    [typed`disputes open --reason Lost`, 'Opened dispute'],
    [typed`backup create --label nightly --sections store,blog`, 'Created backup "nightly" (store, blog)'],
    [
      typed`notify add-endpoint --name Team --url https://discord.com/api/webhooks/1/t --events post_created`,
      'Added endpoint "Team"',
    ],
  ])('%j: what the answer does not name is not shown as undefined', async (line, done) => {
    const { machine } = await setScene({ answers: [answer(201, '{}')] });

    const { stderr } = await machine.run(line);

    expect(stderr).toContain(`✓ ${done}\n`);
    expect(stderr).not.toContain('undefined');
  });

  test('204 with --json is one JSON document', async () => {
    const { machine } = await setScene({ answers: [answer(204)] });

    const { stdout } = await machine.run(['notify', 'mark-read', '--all', '--json']);

    expect(stdout).toBe('null\n');
  });

  test.each(['settings show', 'disputes show 5f0cbead-0000-4000-8000-000000000001'])(
    '%s of no object is exit 9',
    async (command) => {
      const { machine } = await setScene({ answers: [answer(200, 'null')] });

      const { exitCode, stdout } = await machine.run(command.split(' '));

      expect({ exitCode, stdout }).toEqual({ exitCode: 9, stdout: '' });
    },
  );
});
