import { expect, test } from 'vitest';
import { isPostgresLocation, parseConnectionString } from '../../../../src/service/index.ts';

test.each([
  [
    'postgres://me:p%40w@db.example/shop',
    'postgres://me:p%40w@db.example/shop',
    'postgres://me@db.example/shop',
  ],
  [
    'postgresql://h:6432/a%20b?sslmode=disable',
    'postgres://h:6432/a%20b?sslmode=disable',
    'postgres://h:6432/a%20b',
  ],
  ['postgres://[::1]:5433/shop', 'postgres://[::1]:5433/shop', 'postgres://[::1]:5433/shop'],
  [
    'postgres:///shop?host=/run/postgresql&user=me',
    'postgres:///shop?host=%2Frun%2Fpostgresql&user=me',
    'postgres://me@/run/postgresql/shop',
  ],
  ['postgres://h/d?sslmode=require', 'postgres://h/d?sslmode=verify-full', 'postgres://h/d'],
  [
    'postgres://me:hidden@h/d?password=hidden',
    'postgres://me:hidden@h/d?password=hidden',
    'postgres://me@h/d',
  ],
])('%j goes to pg as %j and is called %j', (location, url, name) => {
  expect(isPostgresLocation(location)).toBe(true);
  expect(parseConnectionString(location)).toEqual({ url, name });
});

test.each([
  ['postgres://h:99999/d', /port/],
  ['postgres://h:x/d', /port/],
  ['postgres://me:100%@h/d', /"%" must be written as %25/],
  ['postgres://me:hidden@a,b/d', /several hosts.*proxy or pooler/],
  ['postgres:///d?host=a,b', /several hosts/],
  ['host=h password=hidden dbname=d', /postgres:\/\/USER@HOST:PORT\/DATABASE/],
])('%j is refused, and not repeated', (location, message) => {
  expect(isPostgresLocation(location)).toBe(true);
  expect(() => parseConnectionString(location)).toThrow(message);
  expect(() => parseConnectionString(location)).not.toThrow(/hidden|100/);
});

test.each(['service.db', '/var/lib/store=1.db', 'C:\\data\\service.db', './host=a'])(
  '%j is a file',
  (location) => {
    expect(isPostgresLocation(location)).toBe(false);
  },
);
