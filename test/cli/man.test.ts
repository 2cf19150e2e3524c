import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadTree } from '../../src/cli/completion-model.ts';
import { manualPages } from '../../src/cli/man-page.ts';

const commands = await loadTree();
const facts = { version: '1.2.3', exitCodes: [['0', 'done']], variables: [['STORECTL_X', 'a']] } as const;
const pages = manualPages(commands, facts);

test('there is a page for the program and for each noun, and the package names them all', () => {
  const { man } = JSON.parse(readFileSync('package.json', 'utf8')) as { man: string[] };
  const files = readdirSync('man').map((file) => `man/${file}`);

  expect(Object.keys(pages).sort()).toEqual(
    ['storectl', ...commands.map(({ path }) => `storectl-${path}`)].sort(),
  );
  expect(man.toSorted()).toEqual(files.sort());
  expect(files).toEqual(
    Object.keys(pages)
      .map((name) => `man/${name}.1`)
      .sort(),
  );
});

const groff = spawnSync('groff', ['--version']).status === 0;

test.skipIf(!groff).each(Object.entries(pages))('%s is roff without a warning', (_, text) => {
  const { status, stderr } = spawnSync('groff', ['-man', '-ww', '-z', '-Tutf8'], {
    input: text,
    encoding: 'utf8',
  });

  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test
  .skipIf(!groff)
  .each(
    commands
      .flatMap((command) => [command, ...command.commands])
      .filter(({ definition }) => definition !== null),
  )('$path is in its page as its help says it', ({ path, definition }) => {
  const text = pages[`storectl-${path.split(' ')[0]}`] ?? '';
  const { stdout } = spawnSync('groff', ['-man', '-Tascii', '-P-c', '-P-b', '-P-u', '-rLL=200n'], {
    input: text,
    encoding: 'utf8',
  });

  expect(stdout).toContain(`storectl ${path}`);
  for (const { flag, value } of definition?.options ?? []) {
    expect(stdout).toContain(value === undefined ? flag : `${flag} ${value}`);
  }
  for (const example of definition?.examples ?? []) {
    expect(stdout).toContain(`storectl ${example.replace(/[^ -~]/g, '')}`);
  }
});

test('text that roff would take for a request or an escape is text', () => {
  const hostile = '.so /etc/passwd\n\'br \\fB bold "quoted" -x ~ ^ ` é';
  const [page = ''] = Object.values(
    manualPages(
      [
        {
          path: 'x',
          summary: '.de "evil',
          definition: { description: hostile, examples: ['.x \\n'], run: async () => undefined },
          commands: [],
        },
      ],
      facts,
    ),
  ).slice(1);

  expect(page).toContain('\\&.so /etc/passwd \\(aqbr \\efB bold');
  expect(page).toContain('\\-x \\(ti \\(ha \\(ga \\[u00E9]');
  expect(page).not.toMatch(/^\.(so|de|x)/m);
  expect(page).not.toMatch(/^'/m);
});
