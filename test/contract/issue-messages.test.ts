import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import '../../src/contract/fields.ts';

test.each<[z.ZodMiniType, unknown, string]>([
  [z.int(), 2.5, 'must be a whole number (got 2.5)'],
  [z.int(), 'all', 'must be a number (got "all")'],
  [z.int(), 2 ** 60, 'must be at most 9007199254740991'],
  [z.number().check(z.gte(0)), -1, 'must be at least 0'],
  [z.number().check(z.multipleOf(5)), 7, 'must be a multiple of 5 (got 7)'],
  [z.string(), null, 'must be text (got null)'],
  [z.string().check(z.minLength(1)), '', 'must have at least 1 character'],
  [z.array(z.string()).check(z.maxLength(2)), ['a', 'b', 'c'], 'must have at most 2 items'],
  [z.boolean(), 'x'.repeat(50), 'must be true or false (got a longer text)'],
  [z.array(z.string()), {}, 'must be a list (got an object)'],
  [z.record(z.string(), z.string()), [], 'must be an object (got a list)'],
  [z.enum(['won', 'lost']), 'draw', 'must be one of won, lost (got "draw")'],
  [z.email(), 'me', 'must be an email address'],
  [z.guid(), 'me', 'must be a UUID'],
  [z.url(), 'nowhere', 'must be a whole URL that begins with https://'],
  [z.ipv4(), 'nowhere', 'has an invalid format'],
  [z.strictObject({}), { a: 1, b: 2 }, 'must not contain a, b'],
  [z.record(z.string().check(z.minLength(2)), z.string()), { a: '' }, 'has an invalid name'],
  [z.union([z.string(), z.number()]), true, 'is not valid'],
])('a message in words for every kind of problem (%#)', (schema, value, message) => {
  expect(schema.safeParse(value).error?.issues[0]?.message).toBe(message);
});
