import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/cli.ts';
import { freePort } from '../helpers/free-port.ts';
import { testNode } from '../helpers/program.ts';
import { openTerminal } from '../helpers/terminal.ts';

const root = path.resolve(import.meta.dirname, '../..');
const readme = readFileSync(path.join(root, 'README.md'), 'utf8');

/** A block that readers paste into their shell, and the output that the next block shows, or null. */
interface Block {
  readonly text: string;
  readonly output: string | null;
}

const blocks = [...readme.matchAll(/```bash\n(.*?)```\n(?:```text\n(.*?)```)?/gs)].map(
  ([, text = '', output = null]): Block => ({ text, output }),
);

/** Ids, times, folders and ports differ from run to run. */
function normalized(output: string): string {
  return (
    output
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID')
      .replace(/\bundo [0-9a-z]{6}\b/g, 'undo RECORD')
      .replace(/^[0-9a-z]{6}(\.\d+)? +(now|\dm) +/gm, 'RECORD$1 AGE ')
      .replace(/\d{4}-\d\d-\d\d \d\d:\d\d (UTC|[+-]\d\d:\d\d)/g, 'TIME')
      .replace(/\S+\/(demo\/history\/[0-9a-f]{16}|storectl\/settings.json)/g, 'FOLDER/$1')
      // Shown by the first block only.
      .replace(/^demo(: | → ).*\n/gm, '')
      .replace(/127\.0\.0\.1:\d+/g, 'HOST')
      // A service that was started a moment ago may need longer on a busy machine.
      .replace(/^HOST refused the connection: retrying for .*\n/gm, '')
      .trim()
  );
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const [opened] = await Promise.race([once(socket, 'connect').then(() => [true]), once(socket, 'error')]);
  socket.destroy();
  return opened === true;
}

test('the blocks of the README, pasted one after the other into bash, print what it shows', async () => {
  const home = temporaryFolder();
  const port = await freePort();
  const terminal = await openTerminal(
    root,
    { HOME: home, PATH: `${path.dirname(testNode)}:${process.env.PATH}` },
    { columns: 200, rows: 60 },
  );
  terminal.type('exec bash --norc --noprofile');
  await terminal.shows(/bash --norc --noprofile\n\$$/);
  for (const [index, { text, output }] of blocks.entries()) {
    const file = path.join(home, `block-${index}`);
    // The test runs in a clone that is built already.
    const commands = text.replace('npm ci --silent\n', '').replaceAll('4010', String(port));
    writeFileSync(file, commands.replaceAll('service.log', path.join(home, 'service.log')));
    terminal.type('clear');
    await terminal.typeAt(/^\$$/, `. ${file}; echo end`);
    const screen = await terminal.shows(/\nend\n\$$/);
    const printed = screen.split('\n').slice(1, -2).join('\n');
    if (output === null) expect(printed, text).not.toMatch(/error:|bash:/);
    else expect(normalized(printed), text).toBe(normalized(output));
  }
  expect(blocks).toHaveLength(7);
}, 120_000);

test('the block that starts a service also works in a script, and stops the service', async () => {
  const home = temporaryFolder();
  const port = await freePort();
  const [block] = blocks.filter(({ text }) => text.includes('service start'));
  // As it is installed.
  const program = `#!/bin/sh\nexec "${testNode}" "${path.join(root, 'bin/storectl.js')}" "$@"\n`;
  writeFileSync(path.join(home, 'storectl'), program, { mode: 0o755 });
  const script = ['set -e', block?.text].join('\n').replaceAll('4010', String(port));

  const env = { HOME: home, PATH: `${home}:${process.env.PATH}` };
  const { stderr } = await promisify(execFile)('bash', ['-c', script], { cwd: home, env });

  expect(stderr).toContain('✓ Logged in to store ');
  expect(await isOpen(port)).toBe(false);
  const { stdout } = await promisify(execFile)('storectl', ['profile', 'list', '--json'], { cwd: home, env });
  expect(JSON.parse(stdout)).toEqual([]);
});

test('no block has a comment: zsh takes a pasted one for a command', () => {
  expect(blocks.filter(({ text }) => /(^|\s)#/.test(text))).toEqual([]);
});

test('the README is short enough to be read', () => {
  expect(readme.split('\n').length).toBeLessThan(150);
});
