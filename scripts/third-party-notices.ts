import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Licences that let their code be distributed in a bundle together with their text. */
const allowedLicenses = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Apache-2.0', 'BlueOak-1.0.0'];

const licenseFile = /^(licen[cs]e|copying)([.-].*)?$/i;

/** A package whose code is in the bundles. */
export interface BundledPackage {
  readonly name: string;
  /** Null if the package that it came with does not say. */
  readonly version: string | null;
  readonly license: string;
  readonly licenseText: string;
}

/** Code that a package contains and that is in no package itself, by the package that it comes with. */
const contained: Readonly<Record<string, Omit<BundledPackage, 'licenseText'>>> = {
  undici: { name: 'llhttp', version: null, license: 'MIT' },
};

/**
 * Every package that one of these modules belongs to, sorted by name. `moduleIds` are absolute paths, as the bundler reports
 * them. Throws if a licence is not on the list, or if a package has no licence text.
 */
export function bundledPackages(moduleIds: Iterable<string>): BundledPackage[] {
  const folders = new Set([...moduleIds].map(packageFolder).filter((folder) => folder !== null));
  const packages = [...folders].map(readPackage).flatMap((found) => {
    const inside = contained[found.name];
    if (inside === undefined) return [found];
    const licenseText = readFileSync(`scripts/licenses/${inside.name}.txt`, 'utf8').trim();
    return [found, { ...inside, licenseText }];
  });
  return packages.sort((one, other) => (titleOf(one) < titleOf(other) ? -1 : 1));
}

/** The name, version, licence and licence text of each of these packages. */
export function thirdPartyNotices(packages: readonly BundledPackage[]): string {
  const notices = packages.map((found) => `${titleOf(found)}\n\n${found.licenseText}`);
  const line = '-'.repeat(80);
  return `storectl contains code of these packages:\n\n${notices.join(`\n\n${line}\n\n`)}\n`;
}

/** The list of parts of the package (SBOM), in the format CycloneDX: what is bundled in it. */
export function partsList(
  { name, version, license }: Readonly<Record<'name' | 'version' | 'license', string>>,
  packages: readonly BundledPackage[],
): string {
  const component = (part: Pick<BundledPackage, 'name' | 'version' | 'license'>) => ({
    type: 'library',
    name: part.name,
    ...(part.version !== null && {
      version: part.version,
      purl: `pkg:npm/${part.name.replace('@', '%40')}@${part.version}`,
    }),
    licenses: [{ license: { id: part.license } }],
  });
  const parts = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { ...component({ name, version, license }), type: 'application' } },
    components: packages.map(component),
  };
  return `${JSON.stringify(parts, null, 2)}\n`;
}

function titleOf({ name, version, license }: BundledPackage): string {
  return `${name}${version === null ? '' : ` ${version}`} (${license})`;
}

/** The folder of the package that a module belongs to, or null for a module of this project. */
function packageFolder(moduleId: string): string | null {
  const parts = moduleId.replaceAll('\\', '/').replace(/^\0/, '').split('/node_modules/');
  const inside = parts.pop();
  if (inside === undefined || parts.length === 0) return null;
  const name = inside
    .split('/')
    .slice(0, inside.startsWith('@') ? 2 : 1)
    .join('/');
  return [...parts, name].join('/node_modules/');
}

function readPackage(folder: string): BundledPackage {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly version: string;
    readonly license?: string;
  };
  if (license === undefined || !allowedLicenses.includes(license)) {
    throw new Error(
      `${name} ${version} has the licence ${license}, which is not on the list of allowed licences`,
    );
  }
  const file = readdirSync(folder).find((entry) => licenseFile.test(entry));
  if (file === undefined) throw new Error(`${name} ${version} comes without a licence text`);
  const licenseText = readFileSync(path.join(folder, file), 'utf8').trim();
  return { name, version, license, licenseText };
}
