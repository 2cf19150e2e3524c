import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { accessTo, temporaryFolder } from '../helpers/cli.ts';
import { packProgram } from '../helpers/package.ts';
import { startService } from '../helpers/service.ts';

const root = path.resolve(import.meta.dirname, '../..');
const node = process.env.STORECTL_TEST_NODE ?? process.execPath;

/** Runs a script as a CI runner does: a shell without terminal, a home of its own, and the runner's variables. */
async function runJob(script: string, env: Record<string, string>, cwd: string): Promise<void> {
  await promisify(execFile)('bash', ['-eo', 'pipefail', '-c', script], {
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

test('the step of the README installs the program for one job, and says whether the settings differ', async () => {
  const service = await startService();
  const [, yaml = ''] = /```yaml\n(.*?)```/s.exec(readFileSync(path.join(root, 'README.md'), 'utf8')) ?? [];
  const steps = parse(yaml) as { run?: string }[];
  const script = steps.find(({ run }) => run !== undefined)?.run ?? '';
  const { file } = await packProgram();
  const home = temporaryFolder();
  const env = {
    STORECTL_API_KEY: service.apiKey,
    STORECTL_BASE_URL: service.origin,
    STORECTL_STORE_ID: service.storeId,
    RUNNER_TEMP: path.join(home, 'runner temp'),
  };
  const check = (settings: string) => {
    writeFileSync(path.join(home, 'settings.yaml'), settings);
    return runJob(script.replace(/storectl@[\d.]+/, file), env, home);
  };

  await check('quietHours: { start: "22:00" }\n');

  await expect(check('quietHours: { start: "21:00" }\n')).rejects.toMatchObject({
    code: 6,
    stdout: expect.stringContaining('21:00'),
  });
});
