import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/cli.ts';

const root = path.resolve(import.meta.dirname, '../..');
const readme = readFileSync(path.join(root, 'README.md'), 'utf8');

interface Step {
  readonly command: string;
  readonly output: string;
}

/** The `$ command` lines of the console blocks in a part of the README, each with the output shown below it. */
function stepsIn(text: string): Step[] {
  return [...text.matchAll(/```console\n(.*?)```/gs)].flatMap(([, block = '']) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((step) => {
        const [command = '', ...output] = step.split('\n');
        return { command, output: output.join('\n').trim() };
      }),
  );
}

/** Ids, times and folders differ from run to run. */
function normalized(output: string): string {
  return output
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID')
    .replace(/\b\d{8}-\d{6}-[0-9a-z]{6}\b/g, 'RECORD')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'TIME')
    .replace(/\b[0-9a-f]{64}\b/g, 'SHA256')
    .replace(/\(\S+\/demo\/history\)/g, '(FOLDER/demo/history)')
    .trim();
}

test('the commands in the README print what it shows', () => {
  const folder = temporaryFolder();
  const node = process.env.STORECTL_TEST_NODE ?? process.execPath;
  const variables: Record<string, string> = {};
  const run = (command: string, withStderr: boolean) =>
    execFileSync(
      'bash',
      [
        '-c',
        `storectl() { "$NODE" bin/storectl.js "$@"; }; ${command} ${withStderr ? '2>&1' : '2>/dev/null'}`,
      ],
      {
        cwd: root,
        encoding: 'utf8',
        env: {
          PATH: process.env.PATH ?? '',
          HOME: folder,
          NODE: node,
          STORECTL_CONFIG_DIR: path.join(folder, 'config'),
          STORECTL_STATE_DIR: path.join(folder, 'state'),
          ...variables,
        },
      },
    );

  const tryIt = stepsIn(readme)[0];
  expect(tryIt?.command).toMatch(/^npm ci && node bin\/storectl\.js --demo /);
  const main = tryIt?.command.replace('npm ci && node bin/storectl.js', 'storectl') ?? '';
  expect(normalized(run(main, true))).toBe(normalized(tryIt?.output ?? ''));
  run('storectl demo reset --confirm demo', true);

  const info: unknown = JSON.parse(run('storectl --demo demo info --json', false));
  const { disputes } = info as { disputes: { id: string; status: string }[] };
  variables.DISPUTE = disputes.find(({ status }) => status === 'open')?.id ?? '';
  const session = readme.slice(readme.indexOf('<!-- session'), readme.indexOf('## In scripts'));
  const steps = stepsIn(session);
  expect(steps).toHaveLength(11);
  for (const { command, output } of steps) {
    const forPeople = /^(demo:|Known to|Nothing to)/m.test(output);
    const printed = run(command, forPeople);
    expect(normalized(printed), command).toBe(normalized(output));
    if (command.includes('backup create')) variables.BACKUP = printed.trim();
  }
});
