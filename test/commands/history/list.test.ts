import { expect, test } from 'vitest';
import { newMachine } from '../../helpers/cli.ts';

test('a long label does not widen the list, and --json has it whole', async () => {
  const machine = newMachine();
  const title = 'long '.repeat(40).trim();
  await machine.run(['--demo', 'blog', 'create', '--title', title, '--content-md', 'text']);

  const list = await machine.run(['--demo', 'history', 'list']);
  const json = await machine.run(['--demo', 'history', 'list', '--json']);

  expect(list.stdout).toMatch(/blog\.create +(long )+long… {2}applied/);
  for (const line of list.stdout.split('\n')) expect(line.length).toBeLessThan(200);
  expect(JSON.parse(json.stdout)).toMatchObject([{ label: title }]);
});

test('--fields takes every field of a record, and no other', async () => {
  const machine = newMachine();
  await machine.run(['--demo', 'backup', 'create', '--label', 'x', '--sections', 'store']);
  const list = (...args: string[]) => machine.run(['--demo', 'history', 'list', ...args]);

  const [record] = JSON.parse((await list('--json')).stdout);
  const chosen = await list('--fields', Object.keys(record).join(','));
  expect(Object.keys(JSON.parse(chosen.stdout)[0])).toEqual(Object.keys(record));

  const unknown = await list('--fields', 'idd');
  expect(unknown).toMatchObject({ exitCode: 2, stdout: '' });
  expect(JSON.parse(unknown.stderr.split('\n').at(-2) ?? '').error).toMatchObject({
    code: 'unknown_field',
    message: 'unknown field: idd (did you mean id?)',
  });
});
