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
      'dist/api-viewer.js.gz',
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
    contents.filter((file) => /^(src|test|bench|node_modules)\/|^(?!examples\/).*(?<!\.d)\.ts$/.test(file)),
  ).toEqual([]);
}, 120_000);

test('it is under 5 MB on the disk, and every link in its Markdown leads into it or to the web', async () => {
  const { unpackedSize, contents } = await packProgram();
  const broken: string[] = [];
  let links = 0;
  for (const page of contents.filter((name) => name.endsWith('.md'))) {
    const text = readFileSync(path.join(root, page), 'utf8').replace(/```[\s\S]*?```/g, '');
    for (const [, link = '', picture = ''] of text.matchAll(
      /\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g,
    )) {
      links += 1;
      const [target = '', heading] = (link || picture).split('#');
      if (/^https:/.test(target)) continue;
      const found = target === '' ? page : path.posix.join(path.posix.dirname(page), target);
      if (!contents.includes(found)) broken.push(`${page}: ${target}`);
      else if (heading !== undefined && !headingsOf(found).includes(heading))
        broken.push(`${page}: #${heading}`);
    }
  }

  expect(broken).toEqual([]);
  expect(links).toBeGreaterThan(20);
  expect(unpackedSize).toBeLessThan(5_000_000);
});

/** The anchors of the headings of a page, as GitHub makes them. */
function headingsOf(page: string): string[] {
  const text = readFileSync(path.join(root, page), 'utf8');
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

test('what it needs is in it, and what it cannot use is not', async () => {
  const { contents } = await packProgram();
  const parts = JSON.parse(readFileSync(path.join(root, 'dist/sbom.cdx.json'), 'utf8')) as {
    components: { name: string; version?: string }[];
  };
  const notices = readFileSync(path.join(root, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8');

  expect(contents).toEqual(expect.arrayContaining(['dist/sbom.cdx.json', 'docs/compatibility.md']));
  // They need a clone: an image is built from it, and the action is a folder of it.
  expect(
    contents.filter((name) => /compose|Dockerfile|action|CONTRIBUTING|^bench|^scripts/.test(name)),
  ).toEqual([]);
  expect(parts.components.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['commander', 'lit-html', 'llhttp', 'rapidoc', 'undici', 'zod']),
  );
  for (const { name, version } of parts.components) {
    expect(notices).toContain(`\n\n${version === undefined ? name : `${name} ${version}`} (`);
  }
});

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

  expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect((await run(storectl, ['profile', 'list', '--json'], { env })).stdout).toBe('[]\n');
}, 120_000);
