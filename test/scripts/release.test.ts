import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { writeFiles } from '../helpers/bulk.ts';
import { temporaryFolder } from '../helpers/cli.ts';

const scripts = path.resolve('scripts');

function git(folder: string, ...args: string[]): string {
  const who = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
  return execFileSync('git', [...who, ...args], { cwd: folder, encoding: 'utf8', stdio: 'pipe' }).trim();
}

const ready = {
  'package.json': JSON.stringify({ version: '1.2.3', homepage: 'https://github.com/shop/storectl' }),
  'README.md': 'npm install storectl@1.2.3',
  'CHANGELOG.md': '# Changelog\n\n## 1.2.3\n\nFirst.\n',
  'dist/THIRD-PARTY-NOTICES.txt': 'These:\n\nzod 4.0.0 (MIT)\n\nText\n\nllhttp (MIT)\n\nText\n',
  'dist/sbom.cdx.json': JSON.stringify({
    components: [{ name: 'zod', version: '4.0.0' }, { name: 'llhttp' }],
  }),
};

/** Runs scripts/release-check.mjs in a repository with these files. */
function check(files: Readonly<Record<string, string>>, ...args: string[]) {
  const folder = temporaryFolder();
  writeFiles({ folder }, { ...ready, ...files });
  git(folder, 'init', '--quiet');
  git(folder, 'add', '.');
  const script = path.join(scripts, 'release-check.mjs');
  const { status, stderr } = spawnSync(process.execPath, [script, ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, problems: stderr.split('\n').filter((line) => line !== '') };
}

test('a repository that is ready for its tag passes', () => {
  expect(check({}, 'v1.2.3')).toEqual({ status: 0, problems: [] });
  expect(check({})).toEqual({ status: 0, problems: [] });
});

const placeholder = ['OWNER', 'storectl'].join('/');

test.each<[string, Record<string, string>, string, string]>([
  [
    'an owner that was not filled in',
    { 'README.md': `uses: ${placeholder}@v1` },
    'v1.2.3',
    "README.md still says OWNER in place of the repository's owner",
  ],
  [
    'a version without an entry in the changelog',
    { 'CHANGELOG.md': '# Changelog\n\n## 1.2.2\n\nOld.\n' },
    'v1.2.3',
    'CHANGELOG.md has no entry ## 1.2.3',
  ],
  [
    'an empty entry',
    { 'CHANGELOG.md': '# Changelog\n\n## 1.2.3\n\n## 1.2.2\n\nOld.\n' },
    'v1.2.3',
    'CHANGELOG.md has no entry ## 1.2.3',
  ],
  [
    'a version that the changelog calls not released',
    { 'CHANGELOG.md': '# Changelog\n\n## 1.2.3\n\nNot released yet.\n\nFirst.\n' },
    'v1.2.3',
    'CHANGELOG.md says that 1.2.3 is not released yet',
  ],
  [
    'changes that belong to no version',
    { 'CHANGELOG.md': '# Changelog\n\n## Unreleased\n\n- x\n\n## 1.2.3\n\nFirst.\n' },
    'v1.2.3',
    'CHANGELOG.md has changes under ## Unreleased',
  ],
  ['a tag of another version', {}, 'v1.2.4', 'the tag v1.2.4 is not v1.2.3, the version of package.json'],
  [
    'an example of another version',
    { 'examples/gitlab-ci.yml': 'npm install storectl@1.2.2' },
    'v1.2.3',
    'examples/gitlab-ci.yml installs storectl@1.2.2, not 1.2.3',
  ],
  [
    'a missing notice',
    { 'dist/THIRD-PARTY-NOTICES.txt': 'These:\n\nzod 4.0.0 (MIT)\n\nText\n' },
    'v1.2.3',
    'dist/THIRD-PARTY-NOTICES.txt has no notice of llhttp',
  ],
  [
    'a clone that is not built',
    { 'dist/sbom.cdx.json': '{"components":[]}' },
    'v1.2.3',
    'dist/sbom.cdx.json lists no packages: run npm ci',
  ],
])('%s fails the check', (_, files, tag, problem) => {
  expect(check(files, tag)).toEqual({ status: 1, problems: [problem] });
});

/** A folder with a program of this name, which writes each call into `calls`. */
function recorder(name: string): { env: Record<string, string>; calls(): string[] } {
  const folder = temporaryFolder();
  const file = path.join(folder, name);
  writeFileSync(file, `#!/bin/sh\nprintf '%s\\n' "$*" >> "${folder}/calls"\n`, { mode: 0o755 });
  return {
    env: { PATH: `${folder}:${process.env.PATH}`, HOME: folder },
    calls: () => readFileSync(path.join(folder, 'calls'), 'utf8').trim().split('\n'),
  };
}

test('publish-release.sh adds checksums, makes the release, and moves the tag of the action', () => {
  const remote = temporaryFolder();
  git(remote, 'init', '--quiet', '--bare');
  const clone = temporaryFolder();
  git(clone, 'clone', '--quiet', remote, '.');
  writeFiles({ folder: clone }, { a: 'first', '.gitignore': 'release\nSHA256SUMS\n' });
  git(clone, 'add', '.');
  git(clone, 'commit', '--quiet', '--message', 'First');
  for (const tag of ['v1.0.0', 'v1']) git(clone, 'tag', tag);
  git(clone, 'push', '--quiet', 'origin', 'HEAD', '--tags');
  git(clone, 'commit', '--quiet', '--allow-empty', '--message', 'Second');
  git(clone, 'tag', '--annotate', 'v1.1.0', '--message', 'Release');
  writeFiles({ folder: clone }, { 'release/storectl-1.1.0.tgz': 'package', 'release/sbom.cdx.json': '{}' });
  const gh = recorder('gh');

  const script = path.join(scripts, 'release/publish-release.sh');
  execFileSync('bash', [script, 'v1.1.0'], { cwd: clone, env: gh.env, stdio: 'pipe' });

  expect(gh.calls()).toEqual([
    'release create v1.1.0 release/SHA256SUMS release/sbom.cdx.json release/storectl-1.1.0.tgz --verify-tag --generate-notes',
  ]);
  execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: path.join(clone, 'release') });
  expect(git(remote, 'rev-parse', 'v1')).toBe(git(clone, 'rev-parse', 'HEAD'));
  expect(git(remote, 'rev-parse', 'v1.0.0')).not.toBe(git(remote, 'rev-parse', 'v1'));
});

test('publish-images.sh pushes what was built on each machine under one tag', () => {
  const folder = temporaryFolder();
  const machines = ['aarch64', 'x86_64'];
  for (const machine of machines) {
    writeFiles(
      { folder },
      {
        [`images/storectl-cli-${machine}.tar`]: '',
        [`images/storectl-service-${machine}.tar`]: '',
      },
    );
  }
  const docker = recorder('docker');
  const env = {
    ...docker.env,
    IMAGE_REGISTRY: 'registry.test/shop',
    REGISTRY_USER: 'me',
    REGISTRY_TOKEN: 'secret-token',
  };

  const script = path.join(scripts, 'release/publish-images.sh');
  execFileSync('bash', [script, '1.2.3'], { cwd: folder, env, stdio: 'pipe' });

  const image = 'registry.test/shop/storectl';
  expect(docker.calls()).toEqual([
    'login registry.test --username me --password-stdin',
    ...['cli', 'service'].flatMap((target) => [
      ...machines.flatMap((machine) => [
        `load --input images/storectl-${target}-${machine}.tar`,
        `tag storectl-${target}:1.2.3 ${image}-${target}:1.2.3-${machine}`,
        `push ${image}-${target}:1.2.3-${machine}`,
      ]),
      `buildx imagetools create --tag ${image}-${target}:1.2.3 ${machines.map((machine) => `${image}-${target}:1.2.3-${machine}`).join(' ')}`,
    ]),
  ]);
});
