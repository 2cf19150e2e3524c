import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Licences that let their code be distributed in a bundle together with their text. */
const allowedLicenses = ['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Apache-2.0', 'BlueOak-1.0.0'];

const licenseFile = /^(licen[cs]e|copying)([.-].*)?$/i;

/**
 * The name, version, licence and licence text of every package that one of these modules belongs to, sorted by name.
 * `moduleIds` are absolute paths, as the bundler reports them. Throws if a licence is not on the list, or if a package
 * has no licence text.
 */
export function thirdPartyNotices(moduleIds: Iterable<string>): string {
  const folders = new Set([...moduleIds].map(packageFolder).filter((folder) => folder !== null));
  const notices = [...folders].map(noticeOf).sort();
  const line = '-'.repeat(80);
  return `storectl contains code of these packages:\n\n${notices.join(`\n\n${line}\n\n`)}\n`;
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

function noticeOf(folder: string): string {
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
  return `${name} ${version} (${license})\n\n${readFileSync(path.join(folder, file), 'utf8').trim()}`;
}
