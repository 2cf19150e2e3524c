import { expect, test } from 'vitest';
import { isPostgresLocation, parseConnectionString } from '../../../../src/service/index.ts';

/** What pg is given for each server. */
function serversOf(location: string) {
  return parseConnectionString(location).servers.map((server) => {
    const { pathname, searchParams } = new URL(server);
    return { database: decodeURIComponent(pathname.slice(1)), ...Object.fromEntries(searchParams) };
  });
}

test.each([
  [
    'postgres://me:p%40w@db.example/shop',
    [{ database: 'shop', user: 'me', password: 'p@w', host: 'db.example' }],
  ],
  [
    'postgresql://h:6432/a%20b?sslmode=disable',
    [{ database: 'a b', host: 'h', port: '6432', sslmode: 'disable' }],
  ],
  ['postgres://[::1]:5433/shop', [{ database: 'shop', host: '::1', port: '5433' }]],
  ['postgres:///shop?host=/run/postgresql', [{ database: 'shop', host: '/run/postgresql' }]],
  [
    'postgres://me@a:1,b,[::2]:3/shop?target_session_attrs=read-write',
    [
      { database: 'shop', user: 'me', host: 'a', port: '1' },
      { database: 'shop', user: 'me', host: 'b', port: '5432' },
      { database: 'shop', user: 'me', host: '::2', port: '3' },
    ],
  ],
  [
    "host=a,b port=6432 dbname=shop user=me password='it''s' options='-c a\\'b'".replace("it''s", "it\\'s p"),
    ['a', 'b'].map((host) => ({
      ...{ database: 'shop', user: 'me', password: "it's p", host, port: '6432', options: "-c a'b" },
    })),
  ],
  ['dbname = shop\n  user = me', [{ database: 'shop', user: 'me' }]],
  ['postgres://h/d?sslmode=require', [{ database: 'd', host: 'h', sslmode: 'verify-full' }]],
])('%j names these servers', (location, servers) => {
  expect(isPostgresLocation(location)).toBe(true);
  expect(serversOf(location)).toEqual(servers);
});

test('the name for people has no password in it', () => {
  for (const location of [
    'postgres://me:hidden@a:1,[::1]:2/shop?password=hidden&target_session_attrs=read-write',
    'host=a,::1 port=1,2 user=me password=hidden dbname=shop',
  ]) {
    expect(parseConnectionString(location).name).toBe('postgres://me@a:1,[::1]:2/shop');
  }
});

test.each([
  ['postgres://h:99999/d', /port/],
  ['postgres://h:x/d', /port/],
  ['postgres://me:100%@h/d', /"%" must be written as %25/],
  ['postgres://a,b/d?port=1,2,3', /number of ports/],
  ['postgres://h/d?target_session_attrs=standby', /target_session_attrs/],
  ['host=h password=hidden "', /NAME=VALUE/],
])('%j is refused, and not repeated', (location, message) => {
  expect(() => parseConnectionString(location)).toThrow(message);
  expect(() => parseConnectionString(location)).not.toThrow(/hidden|100/);
});

test.each(['service.db', '/var/lib/store=1.db', 'C:\\data\\service.db', './host=a'])(
  '%j is a file',
  (location) => {
    expect(isPostgresLocation(location)).toBe(false);
  },
);
