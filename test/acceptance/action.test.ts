import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { temporaryFolder } from '../helpers/cli.ts';
import { answer, startFaultServer } from '../helpers/fault-server.ts';
import { packProgram } from '../helpers/package.ts';
import { testNode } from '../helpers/program.ts';
import { startService } from '../helpers/service.ts';

const root = path.resolve(import.meta.dirname, '../..');

interface Action {
  readonly inputs: Record<string, { default?: string }>;
  readonly outputs: Record<string, unknown>;
  readonly runs: { readonly steps: { run: string; env: Record<string, string> }[] };
}

const action = parse(readFileSync(path.join(root, 'action.yml'), 'utf8')) as Action;

interface ActionRun {
  readonly exitCode: number | null;
  /** What the runner reads. */
  readonly printed: string;
  /** What the action wrote for later steps. */
  readonly output: string;
  readonly summary: string;
}

/** Runs the step of the action in one job, as a runner does, with the package of this folder or another. */
async function runAction(given: Readonly<Record<string, string>>, program?: string): Promise<ActionRun> {
  const home = temporaryFolder();
  const files = { output: path.join(home, 'output.txt'), summary: path.join(home, 'summary.md') };
  const [step] = action.runs.steps;
  const inputs = Object.entries(step?.env ?? {}).map(([name, text]) => {
    const input = /^\$\{\{ inputs\.([a-z-]+) \}\}$/.exec(text)?.[1] ?? '';
    return [name, given[input] ?? action.inputs[input]?.default ?? ''];
  });
  const args = ['-eo', 'pipefail', '-c', step?.run ?? ''];
  const ended = await promisify(execFile)('bash', args, {
    cwd: home,
    timeout: 120_000,
    env: {
      PATH: `${path.dirname(testNode)}:${process.env.PATH}`,
      HOME: home,
      CI: 'true',
      ...Object.fromEntries(inputs),
      STORECTL_PACKAGE: program ?? (await packProgram()).file,
      RUNNER_TEMP: home,
      // Nothing needs to be downloaded.
      npm_config_offline: 'true',
      GITHUB_ACTION_PATH: root,
      GITHUB_OUTPUT: files.output,
      GITHUB_STEP_SUMMARY: files.summary,
      GITHUB_REPOSITORY: 'shop/shop',
      GITHUB_RUN_ID: '4711',
      GITHUB_JOB: 'nightly',
      GITHUB_ACTION: '__run',
    },
  }).catch((error: { code: number | null; stdout: string; stderr: string }) => error);
  const { stdout, stderr } = ended;
  return {
    exitCode: 'code' in ended ? ended.code : 0,
    printed: stdout + stderr,
    output: existsSync(files.output) ? readFileSync(files.output, 'utf8') : '',
    summary: readFileSync(files.summary, 'utf8'),
  };
}

/** The commands that the runner carries out of what a step prints: none until a text that only the step knows. */
function commandsIn(printed: string): string[] {
  const commands: string[] = [];
  let token: string | null = null;
  for (const line of printed.split(/\r?\n/)) {
    const [, name = '', text = ''] = /^\s*(?:::|##\[)([\w-]+)[^:\]]*(?:::|\])(.*)$/.exec(line) ?? [];
    if (name === '') continue;
    if (token !== null) {
      if (name === token) token = null;
    } else if (name === 'stop-commands') token = text;
    else commands.push(line);
  }
  expect(token).toBeNull();
  return commands;
}

test('one backup for a run, however often its job is run, with its id as output', async () => {
  const service = await startService();
  const inputs = { 'api-key': service.apiKey, 'base-url': service.origin, 'store-id': service.storeId };

  const first = await runAction({ ...inputs, sections: 'store,blog' });
  const again = await runAction({ ...inputs, sections: 'store,blog' });
  const named = await runAction({ ...inputs, label: `Don't "miss" it` });

  expect(first.exitCode).toBe(0);
  const [, , id] = /^backup-id<<(\S+)\n([0-9a-f-]{36})\n\1\n$/.exec(first.output) ?? [];
  expect(again.output).toContain(`\n${id}\n`);
  expect(first.summary).toBe(`### Backup taken\n\n<pre>\n${id}\n</pre>\n`);
  expect(named.exitCode).toBe(0);
  const backups = await service.storage.read((db) =>
    db.selectFrom('backups').select(['id', 'label']).orderBy('id').execute(),
  );
  expect(backups).toEqual([
    { id, label: 'run 4711' },
    { id: expect.any(String), label: `Don't "miss" it` },
  ]);
}, 120_000);

test('a backup that fails fails the step, and the summary says why', async () => {
  const service = await startService();

  const { exitCode, output, summary } = await runAction({
    'api-key': await service.makeKey('support'),
    'base-url': service.origin,
    'store-id': service.storeId,
  });

  expect(exitCode).toBe(4);
  expect(output).toBe('');
  expect(summary).toContain('### No backup: exit code 4');
  expect(summary).toContain('error: ');
  expect(summary).toContain('scope');
}, 120_000);

const hostile = [
  '::stop-commands::x',
  '::x::',
  '::error::owned',
  '##[add-path]/tmp/owned',
  ' ::set-output name=backup-id::owned',
  '</pre>\n# <b>owned</b>',
].join('\n');

test('text of the service is no command to the runner', async () => {
  await using server = await startFaultServer([
    answer(422, { title: hostile, detail: hostile, code: 'validation_failed' }),
  ]);

  const run = await runAction({ 'api-key': 'any-key', 'base-url': server.url, 'store-id': 's-1' });

  expect(run.exitCode).toBe(7);
  expect(run.summary).toContain('owned');
  expect(run.summary.match(/<\/?\w+>/g)).toEqual(['<pre>', '</pre>']);
  expect(commandsIn(run.printed)).toEqual([]);
});

test.each([0, 7])('nothing that a program with exit code %i prints is one', async (code) => {
  const program = temporaryFolder();
  mkdirSync(path.join(program, 'bin'));
  const manifest = { name: 'storectl', version: '0.0.0', bin: { storectl: 'bin/storectl.js' } };
  writeFileSync(path.join(program, 'package.json'), JSON.stringify(manifest));
  writeFileSync(
    path.join(program, 'bin', 'storectl.js'),
    `#!/usr/bin/env node
    const text = ${JSON.stringify(hostile)};
    process.stderr.write(text);
    process.stdout.write(text);
    process.exitCode = ${code};`,
    { mode: 0o755 },
  );

  const run = await runAction({ 'api-key': 'k', 'base-url': 'https://x.test', 'store-id': 's' }, program);

  expect(run.exitCode).toBe(code);
  expect(run.printed).toContain('::error::owned');
  expect(commandsIn(run.printed)).toEqual([]);
  const [, token = ''] = /^::stop-commands::([0-9a-f]{32})\n/.exec(run.printed) ?? [];
  expect(token).not.toBe('');
  expect(run.output).toBe(code === 0 ? `backup-id<<${token}\n${hostile}\n${token}\n` : '');
  expect(run.summary.match(/<\/?\w+>/g)).toEqual(['<pre>', '</pre>']);
});
