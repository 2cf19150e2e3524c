import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/cli.ts';
import { answer, startFaultServer } from '../helpers/fault-server.ts';

const run = promisify(execFile);

test('the single executable runs without Node: it takes a backup, knows it, and says what it cannot do', async () => {
  execFileSync('npm', ['run', 'build:single'], { stdio: 'ignore' });
  const home = temporaryFolder();
  await using server = await startFaultServer([
    answer(201, {
      id: 'b-1',
      version: 1,
      label: 'nightly',
      sections: ['store'],
      createdAt: '2030-01-31T09:00:00Z',
    }),
  ]);
  // Away from this folder's packages, as on a machine that has none.
  const storectl = path.join(home, 'storectl');
  copyFileSync('single/storectl', storectl);
  const env = {
    HOME: home,
    STORECTL_BASE_URL: server.url,
    STORECTL_STORE_ID: 's-1',
    STORECTL_API_KEY: 'key-of-a-test',
  };

  const created = await run(
    storectl,
    ['backup', 'create', '--label', 'nightly', '--sections', 'store', '-q'],
    { env, cwd: home },
  );
  const listed = await run(storectl, ['history', 'list', '--json'], { env, cwd: home });
  const demo = spawnSync(storectl, ['--demo', 'settings', 'show'], { env, cwd: home, encoding: 'utf8' });

  expect(created.stdout).toBe('b-1\n');
  expect(JSON.parse(listed.stdout)).toMatchObject([{ operation: 'backup.create', state: 'applied' }]);
  expect(demo).toMatchObject({ status: 11, stdout: '' });
  expect(demo.stderr).toContain('libsql');
});
