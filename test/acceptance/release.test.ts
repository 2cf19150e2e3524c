import { execFile } from 'node:child_process';
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../helpers/cli.ts';
import { freePort } from '../helpers/free-port.ts';
import { shellWord, testNode } from '../helpers/program.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

/** Runs a script of scripts/release in this clone, with these programs first on the path. */
async function runScript(args: readonly string[], programs: Readonly<Record<string, string>> = {}) {
  const bin = temporaryFolder();
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(path.join(bin, name), `#!/bin/sh\n${text}\n`);
    chmodSync(path.join(bin, name), 0o755);
  }
  return promisify(execFile)('bash', args, {
    timeout: 120_000,
    env: {
      PATH: `${bin}:${path.dirname(testNode)}:${process.env.PATH}`,
      HOME: bin,
      SMOKE_PORT: String(await freePort()),
      // Nothing needs to be downloaded.
      npm_config_offline: 'true',
    },
  });
}

test('smoke.sh takes a backup at the service of start-service.sh, and refuses a program of another version', async () => {
  const program = path.resolve('bin/storectl.js');

  const { stdout } = await runScript(['scripts/release/smoke.sh', version, testNode, program]);

  expect(stdout).toMatch(/^[0-9a-f-]{36}\n$/);
  await expect(runScript(['scripts/release/smoke.sh', '9.9.9', testNode, program])).rejects.toThrow();
}, 120_000);

test('build-images.sh builds both images, saves them, and tries them', async () => {
  onTestFinished(() => rmSync('images', { recursive: true }));
  const folder = temporaryFolder();
  const machine = process.arch === 'x64' ? 'x86_64' : 'aarch64';
  // In place of the container, the program of this clone.
  const docker = `printf '%s\\n' "$*" >> ${shellWord(path.join(folder, 'calls'))}
    if [ "$1" = run ]; then
      while [ $# -gt 0 ]; do
        case $1 in storectl-*:*) shift; break ;; esac
        shift
      done
      if [ "$1" = service ]; then echo "$@"; else exec ${shellWord(testNode)} ${shellWord(path.resolve('bin/storectl.js'))} "$@"; fi
    fi`;

  const { stdout } = await runScript(['scripts/release/build-images.sh', version], { docker });

  const calls = readFileSync(path.join(folder, 'calls'), 'utf8').trim().split('\n');
  expect(calls.slice(0, 4)).toEqual(
    ['cli', 'service'].flatMap((target) => [
      `build --target ${target} --tag storectl-${target}:${version} .`,
      `save --output images/storectl-${target}-${machine}.tar storectl-${target}:${version}`,
    ]),
  );
  expect(stdout).toMatch(/^[0-9a-f-]{36}$/m);
});
