import { expect, test } from 'vitest';
import { errorCode } from '../../src/base/error-code.ts';
import { asObject, jsonOrText, parseJson } from '../../src/base/json.ts';

test('JSON text is parsed, also the text null', () => {
  expect(parseJson('{"a":[1]}')).toEqual({ a: [1] });
  expect(parseJson('null')).toBeNull();
  expect(jsonOrText('null')).toBeNull();
});

test.each(['', '{', 'hello', null, undefined])('%j is not JSON', (text) => {
  expect(parseJson(text)).toBeUndefined();
});

test('text that is not JSON stays as it is', () => {
  expect(jsonOrText('hello')).toBe('hello');
  expect(jsonOrText(null)).toBeNull();
});

test.each([null, undefined, 1, 'text', ['list']])('%j is not an object', (value) => {
  expect(asObject(value)).toEqual({});
});

test('errors have the code that they bring, or none', () => {
  expect(errorCode(Object.assign(new Error('full'), { code: 'ENOSPC' }))).toBe('ENOSPC');
  expect(errorCode(Object.assign(new Error('number'), { code: 5 }))).toBe('');
  expect(errorCode(new Error('without'))).toBe('');
  expect(errorCode({ code: 'ENOSPC' })).toBe('');
});
