import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/cli.ts';
import { packProgram } from '../helpers/package.ts';
import { testNode } from '../helpers/program.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');

test('the package holds the program, its manual and completions, and every licence text', async () => {
  const { contents } = await packProgram();

  expect(contents).toEqual(
    expect.arrayContaining([
      'LICENSE',
      'README.md',
      'bin/storectl.js',
      'completions/storectl.bash',
      'dist/THIRD-PARTY-NOTICES.txt',
      'dist/chunks/storectl.js',
      'dist/library/client.d.ts',
      'dist/library/history.mjs',
      'dist/service.js',
      'man/storectl.1',
      'openapi.json',
    ]),
  );
  expect(
    contents.filter((file) => /^(src|test|bench|node_modules)\/(?!README\.md$)|(?<!\.d)\.ts$/.test(file)),
  ).toEqual([]);
}, 120_000);

test('the links of the README lead to files of the package', async () => {
  const { contents } = await packProgram();
  const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
  const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)|(?:src|srcset)="(?!https?:)([^"]+)"/g)];
  const targets = links.map(([, link = '', picture = '']) => (link || picture).replace(/\/$/, ''));

  const missing = targets.filter(
    (target) => !contents.some((file) => file === target || file.startsWith(`${target}/`)),
  );

  expect(missing).toEqual([]);
  expect(targets.length).toBeGreaterThan(0);
}, 120_000);

test('installed without install scripts and database engines, offline, in a folder with a space in its name, it runs', async () => {
  const { file } = await packProgram();
  const home = temporaryFolder();
  const prefix = path.join(home, 'a folder');
  mkdirSync(prefix);
  const env = {
    PATH: `${path.dirname(testNode)}:${process.env.PATH}`,
    HOME: home,
    npm_config_offline: 'true',
  };

  await run(
    'npm',
    ['install', '--global', '--prefix', prefix, '--no-audit', '--ignore-scripts', '--omit=optional', file],
    { env },
  );
  const storectl = path.join(prefix, 'bin', 'storectl');
  const version = await run(storectl, ['--version'], { env });
  const list = await run(storectl, ['profile', 'list', '--json'], { env });

  expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(list.stdout).toBe('[]\n');
}, 120_000);
