import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../helpers/free-port.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

/** Runs a script of scripts/release in this clone, as the workflow of a release does. */
async function runScript(...args: readonly string[]): Promise<string> {
  // What npm needs to reach its registry may be in the environment.
  const env = { ...process.env, SMOKE_PORT: String(await freePort()) };
  const { stdout } = await promisify(execFile)('bash', args, { env });
  return stdout;
}

test('what a release publishes is packed and tried: the package, the list of its parts, the single executable', async () => {
  onTestFinished(() => rmSync('release', { recursive: true, force: true }));

  await runScript('scripts/release/pack.sh');
  const tried = await runScript(
    'scripts/release/smoke-package.sh',
    `release/storectl-${version}.tgz`,
    version,
  );
  const single = await runScript('scripts/release/single.sh', version);

  // The ids of the backups that the package and the executable took.
  expect(tried).toMatch(/^[0-9a-f-]{36}$/m);
  expect(single).toMatch(/^[0-9a-f-]{36}$/m);
  expect(readdirSync('release').sort()).toEqual([
    'sbom.cdx.json',
    `storectl-${version}-${process.platform}-${process.arch}`,
    `storectl-${version}.tgz`,
  ]);
});
