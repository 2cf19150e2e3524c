import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { loadCommands } from '../../scripts/command-definitions.ts';
import { manualPages } from '../../scripts/generate/man-page.ts';

const commands = await loadCommands();
const pages = manualPages(commands, {
  version: '1.2.3',
  exitCodes: [['0', 'done', 'yes']],
  variables: [['STORECTL_X', 'a']],
} as const);

test.each(Object.entries(pages))('%s is roff without a warning', (_, text) => {
  const { status, stderr } = spawnSync('groff', ['-man', '-ww', '-z', '-Tutf8'], {
    input: text,
    encoding: 'utf8',
  });

  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test.each(
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
