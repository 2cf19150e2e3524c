import { expect, test } from 'vitest';
import { writeFiles } from '../helpers/bulk.ts';
import { machineFor } from '../helpers/cli.ts';
import { startLossyProxy } from '../helpers/lossy-proxy.ts';
import { startService } from '../helpers/service.ts';

async function scene() {
  const service = await startService();
  const proxy = await startLossyProxy(service.origin);
  return { proxy, machine: machineFor({ ...service, origin: proxy.origin }) };
}

const backup = ['backup', 'create', '--label', 'nightly', '--sections', 'store'];

test('the first line says how many are settled and how many are still open', async () => {
  const { proxy, machine } = await scene();
  proxy.decide(() => 'lose');
  writeFiles(machine, { 'post.md': '# Post\n\nText' });
  await machine.run([...backup, '--timeout', '0.3']);
  await machine.run(['blog', 'create', 'post.md', '--timeout', '0.3']);
  proxy.decide(() => 'pass');

  const resumed = await machine.run(['resume']);

  expect(resumed).toMatchObject({ exitCode: 10, stderr: 'Resumed 1 change, 1 still open\n' });
});

test('a change that was settled before was not resumed', async () => {
  const { proxy, machine } = await scene();
  await machine.run([...backup, '--json']);
  const [{ id }] = JSON.parse((await machine.run(['history', 'list', '--json'])).stdout);
  const sent = proxy.requests.length;

  const resumed = await machine.run(['resume', id]);

  expect(resumed).toMatchObject({ exitCode: 0, stderr: 'Nothing to resume.\n' });
  expect(resumed.stdout).toContain('already applied');
  expect(proxy.requests).toHaveLength(sent);
});

test('--dry-run sends nothing, and the change stays open', async () => {
  const { proxy, machine } = await scene();
  proxy.decide(() => 'lose');
  await machine.run([...backup, '--timeout', '0.3']);
  proxy.decide(() => 'pass');
  const sent = proxy.requests.length;

  const dry = await machine.run(['resume', '--dry-run']);

  expect(dry).toMatchObject({ exitCode: 10, stdout: expect.stringContaining('Not sent again') });
  expect(proxy.requests).toHaveLength(sent);
  expect((await machine.run(['resume'])).exitCode).toBe(0);
});
