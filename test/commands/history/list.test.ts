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
