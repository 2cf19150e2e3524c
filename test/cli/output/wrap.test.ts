import { stripVTControlCharacters } from 'node:util';
import { Chalk } from 'chalk';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { withoutColors } from '../../../src/cli/output/style.ts';
import { renderRecord, renderTable } from '../../../src/cli/output/tables.ts';
import { displayWidth, truncateStart, truncateText, wrapText } from '../../../src/cli/output/wrap.ts';

const size = 100_000;
const texts = {
  'a word': 'x'.repeat(size),
  words: 'hello world '.repeat(size / 12),
  'words with an arrow': `${'hello world '.repeat(size / 24)}→ ${'hello world '.repeat(size / 24)}`,
  'wide letters': '漢字'.repeat(size / 10),
  'letters of several characters': '👩‍👩‍👧 é'.repeat(size / 50),
  spaces: `a${' '.repeat(size)}b`,
  commands: '`storectl undo` '.repeat(size / 16),
  lines: 'ab →\n'.repeat(size / 5),
  colors: '\u001b[31mred→\u001b[39m '.repeat(size / 15),
};

// With the libraries alone, each takes from half a minute to hours: the time grows with the square of the length.
test.each(Object.entries(texts))(
  'a long text of %s is wrapped, and no line is too wide',
  { timeout: 20_000 },
  (name, text) => {
    const style = { width: 80, plain: false, color: withoutColors };

    for (const rendered of [
      wrapText(text, 60),
      renderRecord([['Summary', text]], style),
      renderTable(['name', 'summary'], [['Discovery', text]], style),
      truncateText(text, 60),
    ]) {
      const limit = name === 'lines' && rendered.endsWith('…') ? Number.POSITIVE_INFINITY : 80;
      expect(Math.max(...rendered.split('\n').map(displayWidth))).toBeLessThanOrEqual(limit);
    }
    expect(wrapText(text, 60).replace(/\s/g, '') === text.replace(/\s/g, '')).toBe(true);
  },
);

test.each([
  ['ASCII', 'hello '.repeat(100)],
  ['letters of several characters', '👩‍👩‍👧e\u0301漢'.repeat(100)],
  ['flags', '🇨🇭🇯🇵'.repeat(200)],
  ['one letter', `e${'\u0301'.repeat(2000)}`],
  ['colors', '\u001b[31mred→\u001b[39m'.repeat(200)],
])('the width of a long text is that of its letters: %s', (_, text) => {
  expect(displayWidth(text)).toBe(stringWidth(text));
});

test('a long line is wrapped at words as a short one, and an escape sequence goes on in the next line', () => {
  const words = Array.from({ length: 400 }, (_, number) => `word${number}`).join(' ');
  const lines = wrapText(words, 40).split('\n');

  expect(lines.join(' ')).toBe(words);
  for (const [index, line] of lines.slice(0, -1).entries()) {
    const next = lines[index + 1]?.split(' ')[0] ?? '';
    expect(`${line} ${next}`.length).toBeGreaterThan(40);
  }
  expect(wrapText(`\u001b[31m${words}\u001b[39m`, 40).split('\n')).toEqual(
    lines.map((line) => `\u001b[31m${line}\u001b[39m`),
  );
});

test('a command in backticks is never broken, because it is copied', () => {
  expect(wrapText('fix the file; run `storectl disputes decide --from a.csv` again', 30)).toBe(
    'fix the file; run\n`storectl disputes decide --from a.csv`\nagain',
  );
});

test('wrapped lines keep their indentation', () => {
  expect(wrapText('3 failed:\n  line 2: status is empty', 18)).toBe(
    '3 failed:\n  line 2: status\n  is empty',
  );
});

test('a colored word wider than the terminal is broken, and its color is not', () => {
  const { red } = new Chalk({ level: 1 });
  const wrapped = wrapText(red(`/state/${'a'.repeat(30)} is empty`), 20);
  expect(stripVTControlCharacters(wrapped)).toBe(`/state/${'a'.repeat(13)}\n${'a'.repeat(17)} is\nempty`);
  expect(wrapped).toContain('\u001b[31m');
});

test('what follows a flag stays in its column', () => {
  expect(wrapText('  --status TEXT  Outcome of the dispute, such as won', 40)).toBe(
    '  --status TEXT  Outcome of the dispute,\n                 such as won',
  );
});

test('the end of a long text is found without looking at all of it', () => {
  expect(truncateStart(`${'a'.repeat(1_000_000)}/post.md`, 10)).toBe('…a/post.md');
  expect(truncateStart(`${'漢'.repeat(200_000)}.md`, 8)).toBe('…漢漢.md');
});
