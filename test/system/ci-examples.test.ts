import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { createKey } from '../../src/service/admin/api-keys.ts';
import { accessTo, temporaryFolder } from '../helpers/cli.ts';
import { packProgram } from '../helpers/package.ts';
import { startService } from '../helpers/service.ts';

const root = path.resolve(import.meta.dirname, '../..');
const node = process.env.STORECTL_TEST_NODE ?? process.execPath;

/** Runs a script as a CI runner does: a shell without terminal, a home of its own, and the runner's variables. */
async function runJob(script: string, env: Readonly<Record<string, string>>, cwd: string) {
  const shell = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script];
  return promisify(execFile)('bash', shell, {
    cwd,
    env: {
      PATH: `${path.dirname(node)}:${process.env.PATH}`,
      HOME: cwd,
      CI: 'true',
      // Nothing needs to be downloaded.
      npm_config_offline: 'true',
      ...env,
    },
  });
}

test('the GitLab job writes its backup to a file, the same one when it is retried on another day', async () => {
  const service = await startService();
  const { backup } = parse(readFileSync(path.join(root, 'examples/gitlab-ci.yml'), 'utf8')) as {
    backup: { before_script: string[]; script: string[] };
  };
  const install = backup.before_script.join('\n').replace(/storectl@[\d.]+/, (await packProgram()).file);
  const files: unknown[] = [];
  for (const job of ['100', '101']) {
    const home = temporaryFolder();
    await runJob(
      [install, ...backup.script].join('\n'),
      {
        ...accessTo(service),
        CI_PROJECT_DIR: home,
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

interface Step {
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly run?: string;
}

const readText = (name: string) => readFileSync(path.join(root, name), 'utf8');

/** Replaces `${{ inputs.label }}` and the like. An unknown name is empty, as in a workflow. */
function fill(texts: Readonly<Record<string, string>> = {}, values: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [
      name,
      text.replace(/\$\{\{ *([\w.-]+) *\}\}/g, (_, expression: string) => values[expression] ?? ''),
    ]),
  );
}

/** Runs a step as a runner of GitHub does: `uses` is this folder's action, `run` a script with its own `env`. */
async function runStep(step: Step, secrets: Readonly<Record<string, string>>, home: string) {
  const { file } = await packProgram();
  const runner = {
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_WORKSPACE: home,
    GITHUB_REPOSITORY: 'shop/shop',
    GITHUB_RUN_ID: '4711',
    GITHUB_JOB: 'nightly',
    GITHUB_OUTPUT: path.join(home, 'output.txt'),
    GITHUB_STEP_SUMMARY: path.join(home, 'summary.md'),
    RUNNER_TEMP: path.join(home, 'runner temp'),
  };
  if (step.run !== undefined) {
    const script = step.run.replace(/storectl@[\d.]+/, file);
    return runJob(script, { ...runner, ...fill(step.env, secrets) }, home);
  }
  expect(step.uses).toBe('OWNER/storectl@v0');
  const action = parse(readText('action.yml')) as {
    inputs: Record<string, { default?: string; required?: boolean }>;
    runs: { steps: [Step] };
  };
  const given = fill(step.with, secrets);
  const inputs: Record<string, string> = {};
  for (const [name, { default: usual, required }] of Object.entries(action.inputs)) {
    if (required) expect(given).toHaveProperty([name]);
    inputs[`inputs.${name}`] = given[name] ?? usual ?? '';
  }
  expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(given)));
  const [only] = action.runs.steps;
  return runJob(
    only.run ?? '',
    { ...runner, GITHUB_ACTION_PATH: root, STORECTL_PACKAGE: file, ...fill(only.env, inputs) },
    home,
  );
}

test('the steps of the README, as they are copied: a backup, and whether the settings differ', async () => {
  const service = await startService();
  const readme = readText('README.md');
  const [, yaml = ''] = /```yaml\n(.*?)```/s.exec(readme) ?? [];
  expect(readme).toContain('preset `ci-backup`');
  expect(readme).toContain('scope `settings:read`');
  const { storeId } = service;
  const secrets = {
    'secrets.STORECTL_BACKUP_KEY': await service.makeKey('ci-backup'),
    'secrets.STORECTL_SETTINGS_KEY': (
      await createKey(service.storage, { storeId, scopes: ['settings:read'] })
    ).key,
  };
  // The example's address and store are the reader's own.
  const own = yaml
    .replaceAll('https://api.example.com', service.origin)
    .replaceAll('4be5c0aa-6a30-4c55-9a2c-7d3e0f6b7a10', storeId);
  const steps = parse(own) as Step[];
  const home = temporaryFolder();
  writeFileSync(path.join(home, 'settings.yaml'), 'quietHours: { start: "22:00" }\n');

  for (const step of steps) await runStep(step, secrets, home);

  expect(steps).toHaveLength(2);
  expect(readFileSync(path.join(home, 'output.txt'), 'utf8')).toMatch(/^backup-id<</);
  const backups = await service.storage.read((db) => db.selectFrom('backups').select('label').execute());
  expect(backups).toEqual([{ label: 'run 4711' }]);
  writeFileSync(path.join(home, 'settings.yaml'), 'quietHours: { start: "21:00" }\n');
  await expect(runStep(steps.at(-1) ?? {}, secrets, home)).rejects.toMatchObject({
    code: 6,
    stdout: expect.stringContaining('21:00'),
  });
});

test('npm install --global . in a clone, as the README says, puts the program on the PATH', async () => {
  const readme = readText('README.md');
  const home = temporaryFolder();
  const clone = path.join(home, 'storectl');
  await promisify(execFile)('git', ['clone', '--quiet', '--local', root, clone]);
  // What `npm ci` installs. As links if both are on one disk: it is large.
  await runJob('cp -al "$FROM" . || cp -a "$FROM" .', { FROM: path.join(root, 'node_modules') }, clone);
  const [, command = ''] = /Then `(npm install --global [^`]+)`/.exec(readme) ?? [];
  const prefix = path.join(home, 'prefix');

  await runJob(command, { npm_config_prefix: prefix }, clone);

  const env = { npm_config_prefix: prefix, STORECTL_STATE_DIR: path.join(home, 'state') };
  const { stdout } = await runJob(
    'PATH=$npm_config_prefix/bin:$PATH; cd /; storectl --demo backup create --label first --sections store -q',
    env,
    clone,
  );
  expect(stdout).toMatch(/^[0-9a-f-]{36}\n$/);
});
