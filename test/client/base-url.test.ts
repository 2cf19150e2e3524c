import { expect, test } from 'vitest';
import { normalizeBaseUrl, parseBaseUrl, storeIdentity } from '../../src/client/base-url.ts';
import { openClient } from '../../src/client/client.ts';
import { chooseProxy, proxyAuthorization } from '../../src/client/wire/proxy.ts';

test.each([
  ['https://api.example.com', 'https://api.example.com/'],
  ['https://api.example.com/', 'https://api.example.com/'],
  ['HTTPS://API.example.com:8443/api/', 'https://api.example.com:8443/api'],
  ['https://api.example.com/a%20b//', 'https://api.example.com/a%20b'],
  ['http://localhost:4010', 'http://localhost:4010/'],
  ['http://demo.localhost', 'http://demo.localhost/'],
  ['http://127.0.0.1:1', 'http://127.0.0.1:1/'],
  ['http://127.8.9.10', 'http://127.8.9.10/'],
  ['http://0x7f.1', 'http://127.0.0.1/'],
  ['http://[::1]:4010', 'http://[::1]:4010/'],
])('%s is a base URL', (text, href) => {
  expect(parseBaseUrl(text).href).toBe(href);
});

test.each([
  ['', 'must be an http or https URL'],
  ['api.example.com', 'must be an http or https URL'],
  ['localhost:4010', 'must be an http or https URL'],
  ['ftp://api.example.com', 'must be an http or https URL'],
  ['file:///etc/passwd', 'must be an http or https URL'],
  ['https:api.example.com', 'must be an http or https URL'],
  ['https://', 'must be an http or https URL'],
  ['https://api example.com', 'must be an http or https URL'],
  [' https://api.example.com', 'must be an http or https URL'],
  ['https://api.example.com\\@evil.example', 'must be an http or https URL'],
  ['https://api.example.com:99999', 'must be an http or https URL'],
  ['https://user:pass@api.example.com', 'must not contain a user name or a password'],
  ['https://token@api.example.com', 'must not contain a user name or a password'],
  ['https://api.example.com?key=1', 'must not contain a query'],
  ['https://api.example.com/?', 'must not contain a query'],
  ['https://api.example.com/#x', 'must not contain a fragment'],
  ['http://api.example.com', 'HTTPS is required (except for localhost)'],
  ['http://localhost.example.com', 'HTTPS is required (except for localhost)'],
  ['http://notlocalhost', 'HTTPS is required (except for localhost)'],
  ['http://127.0.0.1.nip.io', 'HTTPS is required (except for localhost)'],
  ['http://0.0.0.0', 'HTTPS is required (except for localhost)'],
  ['http://10.0.0.1', 'HTTPS is required (except for localhost)'],
  ['http://[::ffff:127.0.0.1]', 'HTTPS is required (except for localhost)'],
])('%j is no base URL: %s', (text, message) => {
  expect(() => parseBaseUrl(text)).toThrow(RangeError);
  expect(() => parseBaseUrl(text)).toThrow(message);
});

test.each([
  ['HTTPS://API.Example.com', 'https://api.example.com'],
  ['https://api.example.com:443//', 'https://api.example.com'],
  ['https://api.example.com./Staging/', 'https://api.example.com/Staging'],
  ['https://api.example.com.:8443/a/../b', 'https://api.example.com:8443/b'],
  ['https://bücher.example/ü', 'https://xn--bcher-kva.example/%C3%BC'],
  ['http://0x7f.1:80/', 'http://127.0.0.1'],
  ['http://[::0001]:4010', 'http://[::1]:4010'],
  ['demo', 'demo'],
])('the base URL %s is %s', (url, normalized) => {
  expect(normalizeBaseUrl(url)).toBe(normalized);
  expect(normalizeBaseUrl(normalized)).toBe(normalized);
});

test('the base URL and the id identify a store, however they are written', () => {
  const id = '4be5c0de-0000-4000-8000-00000000000a';
  const identity = storeIdentity('https://gw/staging', id);

  expect(storeIdentity('HTTPS://GW.:443/staging/', id.toUpperCase())).toBe(identity);
  const others = [
    storeIdentity('https://gw/production', id),
    storeIdentity('https://gw/Staging', id),
    storeIdentity('https://gw', id),
    storeIdentity('https://gw:8443/staging', id),
    storeIdentity('https://gw/staging', 'another'),
    storeIdentity('demo', id),
  ];
  expect(new Set([identity, ...others]).size).toBe(7);
});

test('a client is not made for a base URL, a key or a proxy that cannot be used', () => {
  const options = {
    baseUrl: 'https://api.example.com',
    apiKey: 'sk_test_0123456789',
    userAgent: 'x',
    env: {},
  };

  expect(() => openClient({ ...options, baseUrl: 'http://api.example.com' })).toThrow('HTTPS is required');
  expect(() => openClient({ ...options, apiKey: '' })).toThrow('The API key is empty');
  expect(() => openClient({ ...options, apiKey: 'sk_secret\r\nx-evil: 1' })).toThrow(/^(?!.*secret)/);
  expect(() => openClient({ ...options, env: { HTTPS_PROXY: 'socks5://proxy:1080' } })).toThrow(
    'HTTPS_PROXY must be',
  );
});

test.each([
  ['https://api.example.com', { HTTPS_PROXY: 'http://proxy:3128' }, 'http://proxy:3128/'],
  ['https://api.example.com', { https_proxy: 'proxy:3128' }, 'http://proxy:3128/'],
  ['https://api.example.com', { https_proxy: 'http://a', HTTPS_PROXY: 'http://b' }, 'http://a/'],
  ['https://api.example.com', { HTTP_PROXY: 'http://proxy:3128' }, null],
  ['https://api.example.com', {}, null],
  ['https://api.example.com', { HTTPS_PROXY: '' }, null],
  ['https://api.example.com', { HTTPS_PROXY: 'http://p', NO_PROXY: '*' }, null],
  ['https://api.example.com', { HTTPS_PROXY: 'http://p', NO_PROXY: 'other, example.com' }, null],
  ['https://api.example.com', { HTTPS_PROXY: 'http://p', NO_PROXY: '.example.com' }, null],
  ['https://api.example.com', { HTTPS_PROXY: 'http://p', no_proxy: '*.EXAMPLE.com:443' }, null],
  ['https://api.example.com', { HTTPS_PROXY: 'http://p', NO_PROXY: 'example.com:8443' }, 'http://p/'],
  ['https://api.example.com', { HTTPS_PROXY: 'http://p', NO_PROXY: 'ample.com' }, 'http://p/'],
  ['https://10.1.2.3', { HTTPS_PROXY: 'http://p', NO_PROXY: '192.168.0.0/16,10.0.0.0/8' }, null],
  ['https://10.1.2.3', { HTTPS_PROXY: 'http://p', NO_PROXY: '10.1.2.3' }, null],
  ['https://10.1.2.3:8443', { HTTPS_PROXY: 'http://p', NO_PROXY: '10.1.2.3:8443' }, null],
  ['https://10.1.2.3', { HTTPS_PROXY: 'http://p', NO_PROXY: '10.1.2.3:8443' }, 'http://p/'],
  ['https://110.1.2.3', { HTTPS_PROXY: 'http://p', NO_PROXY: '10.1.2.3,10.0.0.0/8,0.1.2.3' }, 'http://p/'],
  ['https://10.1.2.3', { HTTPS_PROXY: 'http://p', NO_PROXY: '10.0.0.0/99,10.0.0.0/x,/8' }, 'http://p/'],
  ['https://[2001:db8::7]', { HTTPS_PROXY: 'http://p', NO_PROXY: '2001:db8::7' }, null],
  ['https://[2001:db8::7]', { HTTPS_PROXY: 'http://p', NO_PROXY: '2001:0DB8:0::7' }, null],
  ['https://[2001:db8::7]', { HTTPS_PROXY: 'http://p', NO_PROXY: '[2001:db8::7]' }, null],
  ['https://[2001:db8::7]:444', { HTTPS_PROXY: 'http://p', NO_PROXY: '[2001:db8::7]:444' }, null],
  ['https://[2001:db8::7]', { HTTPS_PROXY: 'http://p', NO_PROXY: '2001:db8::/32' }, null],
  ['https://[2001:db8::7]', { HTTPS_PROXY: 'http://p', NO_PROXY: 'fd00::/8, 2001:db8::8' }, 'http://p/'],
  ['https://example.com', { HTTPS_PROXY: 'http://p', NO_PROXY: 'example.com.' }, null],
  ['https://127.0.0.1:8443', { HTTPS_PROXY: 'http://p' }, null],
  ['https://localhost', { HTTPS_PROXY: 'http://p' }, null],
  ['http://127.0.0.1', { HTTP_PROXY: 'http://p', HTTPS_PROXY: 'http://p' }, null],
])('%s with %j goes through %s', (target, env, proxy) => {
  expect(chooseProxy(env, new URL(target))?.href ?? null).toBe(proxy);
});

test.each([
  ['http://proxy', null],
  ['http://user:p%40ss@proxy', 'user:p@ss'],
  ['http://user:50%@proxy', 'user:50%'],
  ['http://token@proxy', 'token:'],
])('%s authorizes with %s', (proxy, credentials) => {
  const header = credentials === null ? null : `Basic ${Buffer.from(credentials).toString('base64')}`;
  expect(proxyAuthorization(new URL(proxy))).toBe(header);
});
