import { expect, test } from 'vitest';
import { firstHeading } from '../../../../src/commands/blog/post/title.ts';
import { withoutComments } from '../../../../src/commands/blog/post/without-comments.ts';

test.each([
  ['a <!-- b\nc --> d', 'a \n d'],
  ['a {/* b */} d', 'a  d'],
  ['<pre class="x">\n# a\n</PRE>b', '\n\nb'],
  ['<!-- never closed\n# a', '\n'],
  ['`<!--` a', '`<!--` a'],
  ['```html\n<!-- a -->\n```\n<!-- b -->', '```html\n<!-- a -->\n```\n'],
  ['````\n```\n<!-- a -->\n````\n', '````\n```\n<!-- a -->\n````\n'],
  ['~~~\n<!-- a -->', '~~~\n<!-- a -->'],
  ['` a\n<!-- b --> `', '` a\n `'],
  ['```a``` <!-- b -->', '```a``` '],
  ['{/* a <!-- b -->', '{/* a '],
])('%j without comments is %j', (markdown, expected) => {
  expect(withoutComments(markdown)).toBe(expected);
});

// These took minutes, because each beginning was looked for an end of its own.
test.each(['`', '```\n', '````x\n```\n', '{/*', '<pre ', '<style>\n', '<!-- --', '~~~\n`', '`\n'])(
  'a megabyte of %j is read',
  (part) => {
    const markdown = part.repeat(1_000_000 / part.length);
    expect(withoutComments(`# Ink\n\n${markdown}`).slice(0, 5)).toBe('# Ink');
    expect(firstHeading(`# Ink\n\n${markdown}`)).toBe('Ink');
    expect(firstHeading(`# Ink${' '.repeat(1_000_000)}x\n`)).toBe('Ink');
  },
);
