import { expect, test } from 'vitest';
import { readProblem } from '../../../src/client/response/problem.ts';

function read(
  body: unknown,
  contentType = 'application/json',
  status = 422,
  statusText = 'Unprocessable Entity',
) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return readProblem({ status, statusText, contentType, text });
}

test.each<[string, unknown, string | null, string, [string, string | null, string][]]>([
  [
    'problem+json with pointers',
    {
      type: 'about:blank',
      title: 'Validation failed',
      status: 422,
      detail: '2 fields are wrong',
      code: 'validation_failed',
      errors: [
        { pointer: '/settings/cashbackBp', code: 'too_big', detail: 'at most 10000' },
        { pointer: '#/settings/socials/a~1b', code: 'invalid', detail: 'not a URL' },
      ],
    },
    'validation_failed',
    '2 fields are wrong',
    [
      ['settings.cashbackBp', 'too_big', 'at most 10000'],
      ['settings.socials.a/b', 'invalid', 'not a URL'],
    ],
  ],
  ['problem+json with a title alone', { title: 'Conflict' }, null, 'Conflict', []],
  ['error object', { error: { code: 'slug_taken', message: 'Taken' } }, 'slug_taken', 'Taken', []],
  [
    'error object with a type',
    { error: { type: 'invalid_request_error', message: 'No' } },
    'invalid_request_error',
    'No',
    [],
  ],
  [
    'error object with details',
    { error: { code: 'invalid', message: 'No', details: [{ field: 'name', message: 'is long' }] } },
    'invalid',
    'No',
    [['name', null, 'is long']],
  ],
  ['error text', { error: 'No such store' }, null, 'No such store', []],
  ['error word alone', { error: 'invalid_token' }, 'invalid_token', 'invalid_token', []],
  [
    'error name and message',
    { statusCode: 404, error: 'Not Found', message: 'No store' },
    null,
    'No store',
    [],
  ],
  ['message', { message: 'Nope' }, null, 'Nope', []],
  ['a sentence, which becomes a clause', { message: 'Not now.' }, null, 'Not now', []],
  ['an ellipsis', { message: 'Please wait...' }, null, 'Please wait...', []],
  [
    'fields of another form than the two that are read',
    { message: 'No', errors: { name: ['too long'] } },
    null,
    'No',
    [],
  ],
  ['a JSON text', '"just text"', null, 'HTTP 422 Unprocessable Entity', []],
  ['JSON null', 'null', null, 'HTTP 422 Unprocessable Entity', []],
  ['an empty object', {}, null, 'HTTP 422 Unprocessable Entity', []],
  [
    'members of other types',
    { error: 7, message: {}, errors: 3, code: 5, detail: null },
    null,
    'HTTP 422 Unprocessable Entity',
    [],
  ],
  ['nothing', '', null, 'HTTP 422 Unprocessable Entity', []],
  ['plain text', 'upstream\n  broke\t', null, 'upstream broke', []],
])('%s', (_name, body, code, message, fields) => {
  expect(read(body)).toEqual({
    status: 422,
    code,
    message,
    fields: fields.map(([path, fieldCode, detail]) => ({ path, code: fieldCode, detail })),
  });
});

test.each([
  ['<html><head><title>502 Bad\n Gateway</title></head><body>x</body></html>', '502 Bad Gateway'],
  ['<!DOCTYPE html><body><script>alert(1)</script><h1>Down &amp; out</h1></body>', 'HTTP 502 Bad Gateway'],
  ['<html></html>', 'HTTP 502 Bad Gateway'],
])('a page: %s', (html, message) => {
  expect(read(html, 'text/html; charset=utf-8', 502, 'Bad Gateway').message).toBe(message);
});

test('a message is one line of at most 500 characters', () => {
  const { message } = read({ message: `a\r\nb ${'😀'.repeat(600)}` });

  expect(message).toMatch(/^a b 😀+…$/u);
  expect([...message].length).toBe(500);
});

test('members of the wrong type are ignored', () => {
  const odd = { toString: 1 };
  const body = {
    error: odd,
    message: [odd],
    errors: [{ pointer: odd, detail: 'b', code: odd }, odd, null, 4],
  };

  expect(read(body)).toMatchObject({
    message: 'HTTP 422 Unprocessable Entity',
    fields: [{ path: '', code: null, detail: 'b' }],
  });
});

// In time that grows with the square of the length, this would take hours.
test('hostile bodies of megabytes are read', () => {
  for (const body of [
    '<'.repeat(4e6),
    `<script>${'<script'.repeat(5e5)}`,
    '['.repeat(4e6),
    `{"errors":[${'"x",'.repeat(1e6)}"x"]}`,
  ]) {
    expect(read(body, 'text/html').message.length).toBeLessThanOrEqual(500);
  }
});
