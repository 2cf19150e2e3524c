import { expect, test } from 'vitest';
import { createRedactor } from '../../../src/client/response/redact.ts';

const key = 'Zm9v+YmFy/c2VjcmV0LWtleQ==';
const escapeOf = (text: string) => `\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}`;

test.each<[string, string]>([
  ['as it is', key],
  ['with slashes that are escaped', key.replaceAll('/', '\\/')],
  ['with an escape in upper case', key.replaceAll('+', '\\u002B')],
  ['with an escape in lower case', key.replaceAll('+', '\\u002b')],
  ['in escapes alone', key.replace(/./g, escapeOf)],
  ['in JSON within JSON', JSON.stringify(key.replaceAll('/', '\\/').replaceAll('+', '\\u002b')).slice(1, -1)],
  ['percent-encoded', encodeURIComponent(key)],
  ['percent-encoded in lower case', key.replace(/[+/=]/g, (text) => `%${text.charCodeAt(0).toString(16)}`)],
  ['percent-encoded twice', encodeURIComponent(encodeURIComponent(key))],
  ['in HTML', key.replaceAll('+', '&#43;').replaceAll('/', '&#x2F;')],
])('a key is replaced %s', (_, written) => {
  expect(createRedactor(key)(`{"a":"<${written}>"}`)).toBe('{"a":"<[redacted]>"}');
});

test('a key with characters that JSON or a regular expression treats in another way is replaced', () => {
  const odd = String.raw`a\"b%$^.*(c)[d]{2}|`;
  const redact = createRedactor(odd);
  for (const written of [
    odd,
    JSON.stringify(odd),
    JSON.stringify(JSON.stringify(odd)),
    encodeURIComponent(odd),
  ])
    expect(redact(`x ${written}`)).toMatch(/^x [\\"]*\[redacted\][\\"]*$/);
});

test('no other text is changed, and one of backslashes alone is read to its end', () => {
  const text = String.raw`{"a":"Zm9v YmFy\/c2VjcmV0LWtleQ==","b":"\u002b"}`;
  expect(createRedactor(key)(text)).toBe(text);
  const backslashes = '\\'.repeat(2_000_000);
  expect(createRedactor(key)(backslashes)).toBe(backslashes);
});
