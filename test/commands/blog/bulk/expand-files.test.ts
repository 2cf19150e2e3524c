import { expect, test } from 'vitest';
import { expandFiles, noteOtherEndings } from '../../../../src/commands/blog/bulk/expand-files.ts';
import { writeFiles } from '../../../helpers/bulk.ts';
import { newMachine } from '../../../helpers/cli.ts';

function blog() {
  const machine = newMachine();
  const names = [
    'b/One.md',
    'b/TWO.MD',
    'b/x/[slug].md',
    'b/x/three.mdx',
    'b/.hidden/a.md',
    'b/node_modules/a/a.md',
    'b/.a.md',
  ];
  writeFiles(machine, {
    ...Object.fromEntries(names.map((name) => [name, 'x'])),
    'flat/a.markdown': 'x',
    'none/a.txt': 'x',
  });
  return machine.folder;
}

const expand = (patterns: readonly string[], ignoreCase = false) =>
  expandFiles(patterns, { cwd: blog(), ignoreCase });

test.each([
  [['b/*.md'], ['b/One.md']],
  [['b/**/*.md'], ['b/One.md', 'b/x/[slug].md']],
  [['**/*.{md,mdx}'], ['b/One.md', 'b/x/[slug].md', 'b/x/three.mdx']],
  [['b/**/*'], ['b/One.md', 'b/TWO.MD', 'b/x/[slug].md', 'b/x/three.mdx']],
  [['b/**'], ['b/One.md', 'b/TWO.MD', 'b/x/[slug].md', 'b/x/three.mdx']],
  [['none/**/*'], ['none/a.txt']],
  [['b/?ne.md', 'b/[A-O]*.md'], ['b/One.md']],
  [['b/*/three.*'], ['b/x/three.mdx']],
  [['b/x/[slug].md'], ['b/x/[slug].md']],
  [
    ['./b/One.md', '-', 'missing.md'],
    ['./b/One.md', '-', 'missing.md'],
  ],
])('%j names %j', (patterns, files) => {
  expect(expand(patterns)).toEqual(files);
});

test.each([
  ['b/*.md', "not included: b/TWO.MD. To include it, use 'b/*.{MD,md}'."],
  [
    'b/**/*.md',
    "not included: b/TWO.MD and 1 more Markdown file. To include them, use 'b/**/*.{MD,md,mdx}'.",
  ],
  ['b/**/*.{md,mdx}', null],
  ['b/**', null],
  ['flat/a.markdown', null],
])('what %s does not name: %s', (pattern, note) => {
  const shown = noteOtherEndings([pattern], { cwd: blog(), ignoreCase: false });
  expect(shown).toBe(note === null ? null : `Warning: ${note}`);
});

test('on Windows, *.md names .MD, too', () => {
  expect(expand(['b/*.md'], true)).toEqual(['b/One.md', 'b/TWO.MD']);
});

test.each([
  ['b', "for the posts in it, use 'b/**/*.{MD,md,mdx}'"],
  ['flat/', 'for the posts in it, use flat/*.markdown'],
  ['none', 'name Markdown files (there are none in it)'],
  ['flat/*.md', 'for the posts in flat, use flat/*.markdown'],
  ['missing/*.md', 'check the path'],
])('%s is an error that names the pattern to use', (pattern, say) => {
  try {
    expand([pattern]);
    expect.unreachable();
  } catch (error) {
    expect(error).toMatchObject({ failure: { exitCode: 2, next: [{ say }] } });
  }
});
