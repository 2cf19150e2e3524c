import { expect, test } from 'vitest';
import { isLoopbackAddress, isLoopbackHost } from '../../src/base/loopback.ts';

test.each([
  ['localhost', true],
  ['store.localhost', true],
  ['127.1.2.3', true],
  ['[::1]', true],
  ['127.0.0.1.example.com', false],
  ['localhost.example.com', false],
  ['notlocalhost', false],
  ['[::2]', false],
])('the host %s: %s', (host, expected) => {
  expect(isLoopbackHost(host)).toBe(expected);
});

test.each([
  ['127.0.0.1', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['127.evil.example', false],
  ['128.0.0.1', false],
  ['::ffff:10.0.0.1', false],
  ['', false],
])('the address %j: %s', (address, expected) => {
  expect(isLoopbackAddress(address)).toBe(expected);
});
