import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { machineFor, temporaryFolder } from '../helpers/cli.ts';
import { packProgram } from '../helpers/package.ts';
import { startService } from '../helpers/service.ts';
import { typed } from '../helpers/typed.ts';

const root = path.resolve(import.meta.dirname, '../..');
const node = process.env.STORECTL_TEST_NODE ?? process.execPath;

/** Runs a script as a CI runner does: a shell without terminal, a home of its own, and the runner's variables. */
async function runStep(script: string, env: Record<string, string>, cwd: string): Promise<void> {
  const bin = path.join(cwd, '.bin');
  mkdirSync(bin, { recursive: true });
  // `npm install --global` puts a command of this name on the path, for the Node of the job.
  const command = path.join(bin, 'storectl');
  writeFileSync(command, `#!/bin/sh\nexec "${node}" "${root}/bin/storectl.js" "$@"\n`);
  chmodSync(command, 0o755);
  await promisify(execFile)('bash', ['-eo', 'pipefail', '-c', script], {
    cwd,
    env: { PATH: `${bin}:${path.dirname(node)}:${process.env.PATH}`, HOME: cwd, CI: 'true', ...env },
  });
}

interface Action {
  readonly inputs: Record<string, { default?: string }>;
  readonly runs: { readonly steps: { name: string; run: string; env?: Record<string, string> }[] };
}

interface ActionRun {
  /** What the action wrote for the workflow. */
  readonly output: string;
  readonly summary: string;
}

/** Runs every step of the action in one job, as a runner does, with the package of this folder. */
async function runAction(given: Readonly<Record<string, string>>, attempt = '1'): Promise<ActionRun> {
  const { runs, inputs } = parse(readFileSync(path.join(root, 'action.yml'), 'utf8')) as Action;
  const home = temporaryFolder();
  const files = { output: path.join(home, 'output.txt'), summary: path.join(home, 'summary.md') };
  const values: Record<string, string> = { ...given, package: (await packProgram()).file };
  for (const { run, env = {} } of runs.steps) {
    const filled = Object.entries(env).map(([name, text]) => {
      const input = /^\$\{\{ inputs\.([a-z-]+) \}\}$/.exec(text)?.[1] ?? '';
      return [name, values[input] ?? inputs[input]?.default ?? ''];
    });
    await runStep(
      run,
      {
        ...Object.fromEntries(filled),
        RUNNER_TEMP: home,
        // Nothing needs to be downloaded.
        npm_config_offline: 'true',
        GITHUB_ACTION_PATH: root,
        GITHUB_OUTPUT: files.output,
        GITHUB_STEP_SUMMARY: files.summary,
        GITHUB_REPOSITORY: 'shop/shop',
        GITHUB_RUN_ID: '4711',
        GITHUB_RUN_ATTEMPT: attempt,
        GITHUB_JOB: 'nightly',
        GITHUB_ACTION: '__run',
      },
      home,
    );
  }
  return { output: readFileSync(files.output, 'utf8'), summary: readFileSync(files.summary, 'utf8') };
}

test('the GitHub Action takes one backup for a run, however often its job is run', async () => {
  const service = await startService();
  const inputs = { 'api-key': service.apiKey, 'base-url': service.origin, 'store-id': service.storeId };

  const first = await runAction(inputs);
  const second = await runAction(inputs, '2');

  expect(first.output).toMatch(/^backup-id=[0-9a-f-]{36}\n/);
  expect(second.output.split('\n')[0]).toBe(first.output.split('\n')[0]);
  expect(first.summary).toContain('### storectl backup create: done');
});

test('the GitHub Action runs any command, hands its output on and fails with it', async () => {
  const service = await startService();
  const inputs = { 'api-key': service.apiKey, 'base-url': service.origin, 'store-id': service.storeId };

  const { output } = await runAction({ ...inputs, args: 'store update --name "Ink & $HOME" --fields name' });

  expect(output).toMatch(/^output<<(\S+)\n\{"name":"Ink & \$HOME"\}\n\1\n$/);
  await expect(runAction({ ...inputs, args: 'settings show --fields' })).rejects.toMatchObject({ code: 2 });
});

test('the GitLab job writes its backup to a file, the same one when it is retried on another day', async () => {
  const service = await startService();
  const { backup } = parse(readFileSync(path.join(root, 'examples/gitlab-ci.yml'), 'utf8')) as {
    backup: { script: string[] };
  };
  const files: unknown[] = [];
  for (const job of ['100', '101']) {
    const home = temporaryFolder();
    await runStep(
      backup.script.join('\n'),
      {
        STORECTL_API_KEY: service.apiKey,
        STORECTL_BASE_URL: service.origin,
        STORECTL_STORE_ID: service.storeId,
        CI_PROJECT_ID: '7',
        CI_PIPELINE_ID: '815',
        CI_PIPELINE_CREATED_AT: '2030-01-31T23:59:00Z',
        CI_JOB_NAME: 'backup',
        CI_JOB_ID: job,
      },
      home,
    );
    files.push(JSON.parse(readFileSync(path.join(home, 'backup.json'), 'utf8')));
  }
  expect(files[0]).toMatchObject({ label: 'nightly 2030-01-31T23:59:00Z', sections: ['store', 'blog'] });
  expect(files[1]).toEqual(files[0]);
});

test('an output file that cannot be written is refused before anything is sent', async () => {
  const service = await startService();
  const machine = machineFor(service);
  const args = typed`backup create --label x --sections store --output-file no/such/folder/x.json`;

  const { exitCode, stderr } = await machine.run(args);

  expect(stderr).toContain('cannot write');
  expect(stderr).toContain('--output-file');
  expect(exitCode).toBe(2);
  expect((await machine.run(['history', 'list', '--json'])).stdout).toBe('[]\n');
});
