import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { loadCommands } from '../../scripts/command-definitions.ts';
import { manualPages } from '../../scripts/generate/man-page.ts';
import { refusedFlags } from '../../src/cli/command/command-definition.ts';
import { configDirectory, demoDirectory, stateDirectory } from '../../src/cli/config/directories.ts';
import type { Io } from '../../src/cli/core/io.ts';

const commands = await loadCommands();
const facts = {
  version: '1.2.3',
  exitCodes: [['0', 'done', 'yes']],
  variables: [['STORECTL_X', 'a']],
} as const;
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

test('the page of the program has the options of every command, the page of a command the others', () => {
  for (const { path, definition } of commands.flatMap((command) => [command, ...command.commands])) {
    if (definition === null) continue;
    const refused = refusedFlags(definition);
    const [, page = ''] = pages[`storectl-${path.split(' ')[0]}`]?.split('.SH DESCRIPTION') ?? [];
    const [, own = page] = page.split(`.SS "${path.replaceAll('-', '\\-')}"`);
    const [text = ''] = own.split(/^\.S[SH] /m);
    for (const flag of ['--dry-run', '--fields']) {
      const heading = `\n.BR ${flag.replaceAll('-', '\\-')}`;
      expect(pages.storectl).not.toContain(heading);
      expect(text.includes(heading), `${path} ${flag}`).toBe(!refused.includes(flag));
    }
  }
});

test('the page of the program names the files where they are', () => {
  const places = { env: {}, homeDirectory: tmpdir(), process: { platform: 'linux' } } as Pick<
    Io,
    'env' | 'homeDirectory' | 'process'
  >;
  const [, files = ''] =
    pages.storectl?.replaceAll('\\-', '-').replaceAll('\\(ti', tmpdir()).split('.SH FILES') ?? [];

  expect(files).toContain(`.I ${configDirectory(places)}/settings.json\n`);
  expect(files).toContain(`.I ${stateDirectory(places)}/history/\n`);
  expect(files).toContain(`.I ${demoDirectory(places)}/\n`);
});
