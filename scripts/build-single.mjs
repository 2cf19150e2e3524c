// Makes one executable of the program and the Node that runs this script, for machines without Node:
// single/storectl (storectl.exe on Windows). It talks to services. The demo and `storectl service` need the embedded
// engine, a native module that cannot be loaded from inside an executable.
import { execFileSync } from 'node:child_process';
import { appendFileSync, copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { shared } from '../rolldown.config.mjs';
import { root } from './load.mjs';

process.chdir(root);
const folder = 'single';
mkdirSync(folder, { recursive: true });

// Node's single executables hold one script, which can load nothing but Node's own modules.
const script = path.join(folder, 'storectl.cjs');
const bundle = await rolldown({ ...shared, input: 'src/cli/entry.ts', logLevel: 'silent' });
await bundle.write({ file: script, format: 'cjs', codeSplitting: false });
await bundle.close();
appendFileSync(script, 'exports.start().then((exitCode) => { process.exitCode = exitCode; });\n');

const blob = path.join(folder, 'storectl.blob');
const config = path.join(folder, 'config.json');
// What src/base/package-file.ts reads, made by the build.
const files = ['dist/completion.json', ...readdirSync('completions').map((name) => `completions/${name}`)];
const assets = Object.fromEntries(files.map((file) => [file, file]));
writeFileSync(
  config,
  JSON.stringify({ main: script, output: blob, assets, disableExperimentalSEAWarning: true }),
);
execFileSync(process.execPath, ['--experimental-sea-config', config], {
  stdio: ['ignore', 'ignore', 'inherit'],
});

const executable = path.join(folder, process.platform === 'win32' ? 'storectl.exe' : 'storectl');
const isMac = process.platform === 'darwin';
copyFileSync(process.execPath, executable);
if (isMac) execFileSync('codesign', ['--remove-signature', executable]);
// The marker that Node looks for in its own file, see its documentation of single executable applications.
const fuse = ['--sentinel-fuse', 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'];
const segment = isMac ? ['--macho-segment-name', 'NODE_SEA'] : [];
const postject = ['exec', '--yes', '--package=postject@1.0.0-alpha.6', '--', 'postject'];
execFileSync('npm', [...postject, executable, 'NODE_SEA_BLOB', blob, ...fuse, ...segment], {
  stdio: ['ignore', 'ignore', 'inherit'],
  shell: process.platform === 'win32',
});
if (isMac) execFileSync('codesign', ['--sign', '-', executable]);
console.log(executable);
