import { expect, test } from 'vitest';
import { madePosts } from '../../../helpers/bulk.ts';
import { machineFor } from '../../../helpers/cli.ts';
import { freePort } from '../../../helpers/free-port.ts';
import { scriptedStore, setScene } from '../../../helpers/scene.ts';
import { writePosts } from './write-posts.ts';

test('a cancelled run lets what is under way end, and says what is there', async () => {
  const { service, proxy, machine } = await setScene();
  const names = writePosts(machine, 20);
  const controller = new AbortController();
  proxy.decide(() => {
    controller.abort();
    return 'pass';
  });

  const first = await machine.run(['blog', 'create', ...names, '--json'], { signal: controller.signal });
  const created = JSON.parse(first.stdout).filter(
    ({ outcome }: { outcome: string }) => outcome === 'applied',
  );
  const second = await machine.run(['blog', 'create', ...names, '--json']);

  expect(first.exitCode).toBe(130);
  expect(first.stderr).toMatch(/cancelled \(.*not sent\)"/);
  expect(created.length).toBeGreaterThan(0);
  expect(created.length).toBeLessThanOrEqual(4);
  // Written down is what was sent, or was about to be.
  const records = JSON.parse((await machine.run(['history', 'list', '--json'])).stdout);
  expect(records.length - 20).toBeLessThanOrEqual(8);
  expect(second.exitCode).toBe(0);
  expect(await madePosts(service)).toHaveLength(20);
  expect(proxy.writes()).toHaveLength(20);
});

test('Ctrl-C while the connection is refused ends a batch at once: nothing is in flight', async () => {
  const machine = machineFor({ ...scriptedStore, origin: `http://127.0.0.1:${await freePort()}` });
  const names = writePosts(machine, 6);
  const controller = new AbortController();
  const output: string[] = [];
  const run = machine.run(['blog', 'create', ...names], {
    signal: controller.signal,
    isTerminal: true,
    onOutput: (text) => output.push(text),
  });
  await expect.poll(() => output.join(''), { timeout: 20_000 }).toContain('refused the connection');
  controller.abort();

  const { exitCode, stderr } = await run;

  expect(exitCode).toBe(130);
  expect(stderr).not.toContain('Stopping: waiting');
  // The bar counts what was done, and nothing was.
  expect(stderr).not.toMatch(/ [1-9]\d*\/6 posts/);
});
