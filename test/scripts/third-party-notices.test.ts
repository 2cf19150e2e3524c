import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { bundledPackages, partsList, thirdPartyNotices } from '../../scripts/third-party-notices.ts';
import { temporaryFolder } from '../helpers/cli.ts';

interface Package {
  readonly name: string;
  readonly license?: string;
  readonly files?: Readonly<Record<string, string>>;
}

/** A folder with these packages in node_modules. Returns the path of a module in each. */
function install(...packages: readonly Package[]): string[] {
  const root = temporaryFolder();
  return packages.map(({ name, license, files = {} }) => {
    const folder = path.join(root, 'node_modules', name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name, version: '1.2.3', license }));
    for (const [file, text] of Object.entries(files)) writeFileSync(path.join(folder, file), text);
    return path.join(folder, 'lib', 'index.js');
  });
}

test('names each bundled package once, with its licence text, sorted', () => {
  const [scoped = '', plain = ''] = install(
    { name: '@scope/b', license: 'ISC', files: { 'LICENSE.md': 'Text of B\n' } },
    { name: 'a', license: 'MIT', files: { license: 'Text of A' } },
  );
  const nested = path.join(path.dirname(scoped), 'other.js');

  const text = thirdPartyNotices(bundledPackages([scoped, nested, plain, '/project/src/cli/main.ts']));

  expect(text.split(`\n\n${'-'.repeat(80)}\n\n`)).toEqual([
    'storectl contains code of these packages:\n\n@scope/b 1.2.3 (ISC)\n\nText of B',
    'a 1.2.3 (MIT)\n\nText of A\n',
  ]);
});

test.each<[string, Package, string]>([
  ['is not allowed', { name: 'a', license: 'GPL-3.0-only', files: { LICENSE: 'x' } }, 'GPL-3.0-only'],
  ['is missing', { name: 'a', files: { LICENSE: 'x' } }, 'undefined'],
  ['has no text', { name: 'a', license: 'MIT' }, 'a 1.2.3 comes without a licence text'],
])('refuses a package whose licence %s', (_, wrong, message) => {
  expect(() => bundledPackages(install(wrong))).toThrow(message);
});

test('code that a package contains has a notice, and all is in the list of parts', () => {
  const modules = install({ name: 'undici', license: 'MIT', files: { LICENSE: 'Text of undici' } });

  const packages = bundledPackages(modules);

  expect(thirdPartyNotices(packages)).toContain(
    'llhttp (MIT)\n\nThis software is licensed under the MIT License.',
  );
  const parts = JSON.parse(
    partsList({ name: 'storectl', version: '1.0.0', license: 'MIT' }, packages),
  ) as object;
  expect(parts).toMatchObject({
    bomFormat: 'CycloneDX',
    metadata: { component: { name: 'storectl', version: '1.0.0' } },
    components: [
      { name: 'llhttp', licenses: [{ license: { id: 'MIT' } }] },
      { name: 'undici', version: '1.2.3', purl: 'pkg:npm/undici@1.2.3' },
    ],
  });
});
