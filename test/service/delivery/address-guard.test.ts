import { createHook } from 'node:async_hooks';
import type { LookupAddress } from 'node:dns';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { isPublicAddress, type Resolve } from '../../../src/service/delivery/address-guard.ts';
import { createSender, parseSink } from '../../../src/service/delivery/send.ts';
import { openService } from '../helpers/service.ts';
import { forbiddenAddresses, hostileUrls, publicAddresses } from './hostile-urls.ts';

const webhook = 'https://discord.com/api/webhooks/1/token';
const never = new AbortController().signal;

/** Servers at both loopback addresses that must get no connection. Answers their port. */
async function startForbidden() {
  let connections = 0;
  const listen = async (host: string, port: number) => {
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    onTestFinished(() => void server.close());
    return (server.address() as AddressInfo).port;
  };
  const port = await listen('127.0.0.1', 0);
  await listen('::1', port).catch(() => {});
  return { port, connections: () => connections };
}

/** Counts all connections that this process tries to open. */
function watchConnects() {
  let connects = 0;
  const hook = createHook({
    init(_, type) {
      if (type === 'TCPCONNECTWRAP' || type === 'PIPECONNECTWRAP') connects += 1;
    },
  }).enable();
  onTestFinished(() => void hook.disable());
  return () => connects;
}

/** A name service whose n-th answer is the n-th of these; the last one stays. */
function resolver(...answers: readonly (readonly string[])[]) {
  const asked: string[] = [];
  const resolve: Resolve = (hostname, _, callback) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(hostname);
    const found = addresses.map(
      (address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 }),
    );
    setImmediate(callback, null, found);
  };
  return { resolve, asked };
}

test('the test notices a connection', async () => {
  const { port, connections } = await startForbidden();
  const connects = watchConnects();
  const sink = parseSink(`http://127.0.0.1:${port}`);
  expect(await createSender({ sink: sink ?? undefined })(webhook, {}, never)).toHaveProperty('failure');
  expect([connects(), connections()]).toEqual([1, 1]);
});

test('more than 100 hostile URLs: all are refused without a lookup or connection', async () => {
  const { port, connections } = await startForbidden();
  const connects = watchConnects();
  const service = await openService();
  const { resolve, asked } = resolver(['127.0.0.1']);
  const send = createSender({ resolve });
  const urls = hostileUrls(port);
  expect(new Set(urls).size).toBeGreaterThan(100);

  for (const url of urls) {
    const body = { kind: 'discord', name: 'x', url, events: ['feedback_digest'] };
    const added = await service.call('notify.add-endpoint', '', body);
    expect({ url, isRefused: [400, 422].includes(added.status) }).toEqual({ url, isRefused: true });
    // Even if it were in the database.
    expect({ url, ...(await send(url, {}, never)) }).toEqual({ url, refused: expect.any(String) });
  }
  expect({ asked, connects: connects(), connections: connections() }).toEqual({
    asked: [],
    connects: 0,
    connections: 0,
  });
});

test('nothing connects to a Discord host name that resolves to an address that is not public', async () => {
  const connects = watchConnects();
  for (const address of forbiddenAddresses) {
    for (const answer of [[address], ['8.8.8.8', address], [address, '2606:4700::1']]) {
      const { resolve, asked } = resolver(answer);
      const result = await createSender({ resolve })(webhook, {}, never);
      expect({ answer, ...result }).toEqual({
        answer,
        failure: 'the host name resolves to an address that is not public',
      });
      expect(asked).toEqual(['discord.com']);
    }
  }
  expect(connects()).toBe(0);
});

test('the connection goes to the address that was checked', async () => {
  const connects = watchConnects();
  const stopped = new AbortController();
  const { resolve, asked } = resolver(['8.8.8.8'], ['127.0.0.1']);
  const send = createSender({
    resolve(hostname, options, callback) {
      // The first answer is public: what a connection would do with it is left to be seen.
      if (asked.length === 0) stopped.abort();
      resolve(hostname, options, callback);
    },
  });
  expect(await send(webhook, {}, stopped.signal)).toHaveProperty('failure');
  expect(asked).toEqual(['discord.com']);
  expect(await send(webhook, {}, never)).toHaveProperty('failure', expect.stringContaining('not public'));
  expect(asked).toEqual(['discord.com', 'discord.com']);
  expect(connects()).toBe(0);
});

test('public and other addresses', () => {
  expect(forbiddenAddresses.filter(isPublicAddress)).toEqual([]);
  expect(publicAddresses.filter((address) => !isPublicAddress(address))).toEqual([]);
  for (const text of [
    '',
    'discord.com',
    '1.1.1',
    '01.1.1.1',
    '1.1.1.1 ',
    '[2606:4700::1]',
    '2606:4700::1%eth0',
  ]) {
    expect({ text, isPublic: isPublicAddress(text) }).toEqual({ text, isPublic: false });
  }
});

test('a sink is on this machine, and stays there', async () => {
  for (const url of [
    'http://127.0.0.1:8000',
    'http://127.9.9.9/',
    'http://[::1]:1',
    'http://localhost:8000/base',
  ]) {
    expect(parseSink(url)?.href).toBe(new URL(`${url.replace(/\/$/, '')}/`).href);
  }
  const refused = [
    'https://127.0.0.1',
    'http://discord.com',
    'http://10.0.0.1',
    'http://localhost.evil.example',
  ];
  for (const url of [
    ...refused,
    'http://user@127.0.0.1',
    'http://127.0.0.1/?x',
    'file:///tmp',
    '127.0.0.1:80',
    '',
  ]) {
    expect({ url, sink: parseSink(url) }).toEqual({ url, sink: null });
  }
  const connects = watchConnects();
  const { resolve } = resolver(['10.0.0.1']);
  const sink = parseSink('http://localhost:8000') ?? undefined;
  expect(await createSender({ sink, resolve })(webhook, {}, never)).toHaveProperty('failure');
  expect(connects()).toBe(0);
});
