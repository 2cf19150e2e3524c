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

/** The first block: two commands for a fresh clone, and what the first one prints. `.ci/run` runs both. */
const [, clone = '', started = ''] = /```sh\n(.*?)```\n```text\n(.*?)```/s.exec(readme) ?? [];

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

/** Puts the program into a folder as `npm install --global` does. */
function installProgram(folder: string): void {
  const program = `#!/bin/sh\nexec "${testNode}" "${path.join(root, 'bin/storectl.js')}" "$@"\n`;
  writeFileSync(path.join(folder, 'storectl'), program, { mode: 0o755 });
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const [opened] = await Promise.race([once(socket, 'connect').then(() => [true]), once(socket, 'error')]);
  socket.destroy();
  return opened === true;
}

test('the first block has two commands for a fresh clone that cmd, PowerShell and sh take alike', () => {
  expect(clone).toBe('npm ci && npm start\nnpm ci && npm test\n');
});

test('npm start takes the backup that the README shows, and says how to go on', async () => {
  const env = { PATH: `${path.dirname(testNode)}:${process.env.PATH}`, HOME: temporaryFolder() };
  const { stdout } = await promisify(execFile)('sh', ['-c', 'npm start --silent 2>&1'], { cwd: root, env });

  const [backup, next = ''] = stdout.split(/\n\n/);
  // The README leaves out the fields of the backup.
  const [beginning = ''] = `${backup}`.split('\nID ');
  expect(normalized(beginning)).toBe(normalized(started));
  expect(next).toContain('  node bin/storectl.js demo info  ');
  for (const line of next.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
  const shown = await promisify(execFile)('node', ['bin/storectl.js', 'demo', 'info'], { cwd: root, env });
  expect(shown.stdout).toContain('Backups\n');
});

test('the blocks of the README, pasted one after the other into bash, print what it shows', async () => {
  const home = temporaryFolder();
  const port = await freePort();
  installProgram(home);
  const terminal = await openTerminal(
    root,
    { HOME: home, PATH: `${home}:${path.dirname(testNode)}:${process.env.PATH}` },
    { columns: 200, rows: 60 },
  );
  terminal.type('exec bash --norc --noprofile');
  await terminal.shows(/bash --norc --noprofile\n\$$/);
  await terminal.typeAt(/\$$/, 'npm start --silent; echo end');
  await terminal.shows(/\nend\n\$$/);
  for (const [index, { text, output }] of blocks.entries()) {
    const file = path.join(home, `block-${index}`);
    writeFileSync(
      file,
      text.replaceAll('4010', String(port)).replaceAll('service.log', path.join(home, 'service.log')),
    );
    terminal.type('clear');
    await terminal.typeAt(/^\$$/, `. ${file}; echo end`);
    const screen = await terminal.shows(/\nend\n\$$/);
    const printed = screen.split('\n').slice(1, -2).join('\n');
    if (output === null) expect(printed, text).not.toMatch(/error:|bash:/);
    else expect(normalized(printed), text).toBe(normalized(output));
  }
  expect(blocks).toHaveLength(6);
}, 120_000);

test('the block that starts a service also works in a script, and stops the service', async () => {
  const home = temporaryFolder();
  const port = await freePort();
  const [block] = blocks.filter(({ text }) => text.includes('service start'));
  installProgram(home);
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
