import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSlug, maxSlugLength, slugOf, slugPattern } from '../../src/contract/slug.ts';

test.each([
  ['Hello World', 'hello-world'],
  ['Über uns', 'über-uns'],
  ['データ', 'データ'],
  ['がんばる', 'がんばる'],
  ['हिन्दी', 'हिन्दी'],
  ['C++ & C#: what now?', 'c-c-what-now'],
  ['--a__b--', 'a-b'],
  ['I ❤️ ink', 'i-ink'],
  ['İstanbul', 'i̇stanbul'],
  ['…', ''],
])('the slug of %j is %j', (text, slug) => {
  expect(slugOf(text)).toBe(slug.normalize('NFC'));
});

test('texts that differ in marks have different slugs', () => {
  expect(new Set(['ハス', 'バス', 'パス'].map(slugOf)).size).toBe(3);
});

test('a slug is never cut inside a character that people see as one', () => {
  const family = '👨‍👩‍👧';
  const marked = 'e\u0323\u0302\u0301';
  expect(slugOf(`a${'𠮷'.repeat(200)}`)).toBe(`a${'𠮷'.repeat(119)}`);
  expect(slugOf(`${'a'.repeat(119)}${marked}`)).toBe('a'.repeat(119));
  expect(slugOf(`${'a'.repeat(119)} ${family} b`)).toBe('a'.repeat(119));
});

test('the slug of a slug is that slug, of any text, and looks as the pattern says', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      const slug = slugOf(text);
      if (slug === '') return;
      expect(isSlug(slug)).toBe(true);
      expect([...slug].length).toBeLessThanOrEqual(maxSlugLength);
      expect(slug).toMatch(new RegExp(slugPattern, 'u'));
    }),
  );
});

test.each(['', 'Über', 'a--b', '-a', 'a-', 'a b', 'u\u0308ber', 'a'.repeat(121)])('%j is no slug', (text) => {
  expect(isSlug(text)).toBe(false);
});
