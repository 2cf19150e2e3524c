// Builds the program into dist/: the bundles of rolldown.config.mjs, the licences and the list of the packages in them, and what is
// used without loading the parser: what Tab offers, and the help of every command. Prints nothing unless it fails: npm runs it on
// installation.
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'rolldown';
import config from '../rolldown.config.mjs';
import { load, root } from './load.mjs';

process.chdir(root);
// One after the other: the first clears the folder.
const bundles = [];
for (const bundle of config) bundles.push(await build({ ...bundle, onLog: refuseEager }));

/** Fails where a module would be loaded at start that the program means to load on demand. */
function refuseEager(level, log, print) {
  if (log.code === 'INEFFECTIVE_DYNAMIC_IMPORT') throw new Error(log.message);
  print(level, log);
}

// A browser gets it compressed, so it is kept so.
const viewer = path.join('dist', 'api-viewer.js');
writeFileSync(`${viewer}.gz`, gzipSync(readFileSync(viewer), { level: 9 }));
rmSync(viewer);

// The launcher keeps compiled code for one build only.
const hash = createHash('sha256');
for (const { output } of bundles) for (const { code } of output) hash.update(code ?? '');
writeFileSync(path.join('dist', 'build-id'), hash.digest('hex').slice(0, 16));

const { bundledPackages, partsList, thirdPartyNotices } = await load('scripts/third-party-notices.ts');
const moduleIds = bundles.flatMap(({ output }) => output.flatMap((chunk) => chunk.moduleIds ?? []));
const packages = bundledPackages(moduleIds);
writeFileSync(path.join('dist', 'THIRD-PARTY-NOTICES.txt'), thirdPartyNotices(packages));
writeFileSync(
  path.join('dist', 'sbom.cdx.json'),
  partsList(JSON.parse(readFileSync('package.json', 'utf8')), packages),
);

const { libraryTypes } = await load('scripts/library-types.ts');
for (const [file, text] of Object.entries(libraryTypes())) {
  writeFileSync(path.join('dist', 'library', file), text);
}

const { completionModel } = await load('scripts/completion-model.ts');
const { loadCommands } = await load('scripts/command-definitions.ts');
const model = completionModel(await loadCommands());
writeFileSync(path.join('dist', 'completion.json'), JSON.stringify(model));

const { writeHelpTexts } = await load('scripts/help-texts.ts');
await writeHelpTexts();
