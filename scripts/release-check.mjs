// Fails where a release would be wrong: node scripts/release-check.mjs [TAG], in a built clone. Prints what is missing.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const [tag] = process.argv.slice(2);
const problems = [];
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

if (tag !== undefined && tag !== `v${version}`) {
  problems.push(`the tag ${tag} is not v${version}, the version of package.json`);
}

const changelog = existsSync('CHANGELOG.md') ? readFileSync('CHANGELOG.md', 'utf8') : '';
const [, entry = ''] = changelog.split(`\n## ${version}\n`);
if (entry.split('\n## ')[0].trim() === '') problems.push(`CHANGELOG.md has no entry ## ${version}`);
if (/^not released yet/im.test(entry.split('\n## ')[0]))
  problems.push(`CHANGELOG.md says that ${version} is not released yet`);
if (/^## unreleased/im.test(changelog)) problems.push('CHANGELOG.md has changes under ## Unreleased');

const files = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0');
for (const file of files) {
  if (!/(^Dockerfile|\.(md|json|ya?ml|[cm]?[jt]s))$/.test(file) || !existsSync(file)) continue;
  const text = readFileSync(file, 'utf8');
  if (/OWNER\/storectl/.test(text))
    problems.push(`${file} still says OWNER in place of the repository's owner`);
  if (file.startsWith('test/')) continue;
  for (const [, other] of text.matchAll(/\bstorectl@(\d+\.\d+\.\d+)\b/g)) {
    if (other !== version) problems.push(`${file} installs storectl@${other}, not ${version}`);
  }
}

// Of a package that is bundled, the licence has to be shipped.
const [notices = '', parts = '{"components":[]}'] = [
  'dist/THIRD-PARTY-NOTICES.txt',
  'dist/sbom.cdx.json',
].map((file) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined));
if (notices === '') problems.push('dist/THIRD-PARTY-NOTICES.txt is missing: run npm ci');
const { components } = JSON.parse(parts);
if (components.length === 0) problems.push('dist/sbom.cdx.json lists no packages: run npm ci');
for (const { name, version: found } of components) {
  const title = found === undefined ? name : `${name} ${found}`;
  if (!notices.includes(`\n\n${title} (`))
    problems.push(`dist/THIRD-PARTY-NOTICES.txt has no notice of ${title}`);
}

for (const problem of problems) console.error(problem);
if (problems.length === 0) console.log(`storectl ${version} can be released`);
process.exitCode = problems.length === 0 ? 0 : 1;
