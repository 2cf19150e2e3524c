import { expect, test } from 'vitest';
import { madePosts } from '../../../helpers/bulk.ts';
import { gate } from '../../../helpers/gate.ts';
import { setScene } from '../../../helpers/scene.ts';
import { settledCount, writePosts } from './write-posts.ts';

test('a service that has taken twenty posts at once gets more at a time, until one is not taken', async () => {
  const { service, proxy, machine } = await setScene();
  const names = writePosts(machine, 180);
  const come = (atLeast: number) => settledCount(() => proxy.requests.length, atLeast);

  const first = gate();
  proxy.decide((_, number) => (number <= 12 ? 'pass' : { waitFor: first.opened }));
  const run = machine.run(['blog', 'create', ...names, '--json']);
  expect(await come(16)).toBe(16);

  const later = gate();
  proxy.decide((_, number) => (number <= 150 ? 'pass' : { waitFor: later.opened }));
  first.open();
  expect(await come(160)).toBe(160);

  const refused = gate();
  const refusal = { status: 422, body: '{"code":"validation_failed"}' };
  proxy.decide((_, number) => (number === 161 ? refusal : { waitFor: refused.opened }));
  later.open();
  const onTheirWay = await come(165);

  const last = gate();
  proxy.decide(() => ({ waitFor: last.opened }));
  refused.open();
  expect(await come(onTheirWay + 4)).toBe(onTheirWay + 4);
  last.open();

  expect(await run).toMatchObject({ exitCode: 7 });
  expect(await madePosts(service)).toHaveLength(names.length - 1);
}, 90_000);

test('a service that refuses one for now gets few at a time from then on', async () => {
  const { service, proxy, machine } = await setScene();
  const names = writePosts(machine, 180);
  const held = gate();
  const tooMany = { status: 429, headers: { 'retry-after': '1' } };
  // All pause for as long as the service asks, and then only 4 at a time are on their way.
  proxy.decide((_, number) => (number === 140 ? tooMany : number < 147 ? 'pass' : { waitFor: held.opened }));
  const run = machine.run(['blog', 'create', ...names, '--json']);
  expect(await settledCount(() => proxy.requests.length, 150)).toBe(150);
  held.open();

  expect(await run).toMatchObject({ exitCode: 0 });
  expect(await madePosts(service)).toHaveLength(names.length);
}, 90_000);

test('after a 429 with Retry-After no request of the batch leaves before', async () => {
  const { proxy, machine } = await setScene();
  const names = writePosts(machine, 20);
  let refusedAt = 0;
  let early = 0;
  proxy.decide((_, number) => {
    if (number === 6) {
      refusedAt = performance.now();
      return { status: 429, headers: { 'retry-after': '2' } };
    }
    if (refusedAt > 0 && performance.now() - refusedAt < 1_900) early += 1;
    return 'pass';
  });

  expect(await machine.run(['blog', 'create', ...names])).toMatchObject({ exitCode: 0 });
  // A batch begins with four at a time: the three that left together with the refused one may still arrive.
  expect(early).toBeLessThanOrEqual(3);
});

test('the time that a post may take begins when it is its turn', async () => {
  const { service, proxy, machine } = await setScene();
  const names = writePosts(machine, 24);
  proxy.decide(() => ({ holdUntil: new Promise((resolve) => setTimeout(resolve, 700)) }));

  // Six times four, each of them after 0.7 s.
  expect(await machine.run(['blog', 'create', ...names, '--timeout', '4'])).toMatchObject({ exitCode: 0 });
  expect(await madePosts(service)).toHaveLength(names.length);
});
