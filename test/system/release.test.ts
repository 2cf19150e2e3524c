import { execFile, spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../helpers/cli.ts';
import { freePort } from '../helpers/free-port.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

/** Runs a script of scripts/release in this clone, as the workflow of a release does. */
async function runScript(...args: readonly string[]): Promise<string> {
  // What npm needs to reach its registry may be in the environment.
  const env = { ...process.env, SMOKE_PORT: String(await freePort()) };
  const { stdout } = await promisify(execFile)('bash', args, { env });
  return stdout;
}

/** What bash is offered for Tab. */
const completeInBash = `source <(storectl completion bash)
  COMP_LINE='storectl backup cre' COMP_POINT=19 COMP_WORDS=(storectl backup cre) COMP_CWORD=2
  _storectl storectl; printf '%s\\n' "\${COMPREPLY[@]}"`;

test('what a release publishes is packed and tried: the package, the list of its parts, the single executable', async () => {
  onTestFinished(() => rmSync('release', { recursive: true, force: true }));

  await runScript('scripts/release/pack.sh');

  // The ids of the backups that the package and the executable took.
  expect(
    await runScript('scripts/release/smoke-package.sh', `release/storectl-${version}.tgz`, version),
  ).toMatch(/^[0-9a-f-]{36}$/m);
  expect(await runScript('scripts/release/single.sh', version)).toMatch(/^[0-9a-f-]{36}$/m);
  const executable = `storectl-${version}-${process.platform}-${process.arch}`;
  expect(readdirSync('release').sort()).toEqual(['sbom.cdx.json', executable, `storectl-${version}.tgz`]);

  // Away from this folder's packages, as on a machine that has none, it says what it cannot do.
  const home = temporaryFolder();
  const storectl = path.join(home, 'storectl');
  copyFileSync(path.join('release', executable), storectl);
  const at = { cwd: home, env: { HOME: home }, encoding: 'utf8' } as const;
  expect(spawnSync(storectl, ['profile', 'list', '--json'], at)).toMatchObject({ status: 0, stdout: '[]\n' });
  const demo = spawnSync(storectl, ['--demo', 'settings', 'show'], at);
  expect(demo).toMatchObject({ status: 11, stdout: '', stderr: expect.stringContaining('libsql') });

  // Completion, with what it reads, is inside.
  for (const [shell, ending] of Object.entries({
    bash: 'bash',
    zsh: 'zsh',
    fish: 'fish',
    powershell: 'ps1',
  })) {
    const script = readFileSync(path.join('completions', `storectl.${ending}`), 'utf8');
    expect(spawnSync(storectl, ['completion', shell], at)).toMatchObject({
      status: 0,
      stdout: script,
      stderr: '',
    });
  }
  const onPath = { ...at, env: { HOME: home, PATH: `${home}:${process.env.PATH}` } };
  const tab = spawnSync('bash', ['--norc', '-c', completeInBash], onPath);
  expect(tab).toMatchObject({ status: 0, stdout: 'create\n', stderr: '' });
  const fish = 'storectl completion fish | source; complete --do-complete "storectl disputes dec"';
  expect(spawnSync('fish', ['--no-config', '--command', fish], onPath).stdout).toMatch(/^decide\b/);
  const installed = spawnSync(storectl, ['completion', 'install', 'fish'], onPath);
  expect(installed).toMatchObject({ status: 0, stdout: '' });
  expect(readFileSync(path.join(home, '.config/fish/completions/storectl.fish'), 'utf8')).toBe(
    readFileSync('completions/storectl.fish', 'utf8'),
  );
});
