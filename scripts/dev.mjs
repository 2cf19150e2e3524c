// Runs the program as it is in the work tree: `npm run dev -- --demo backup list`. Builds it first if something that goes into it is
// newer than the last build.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { root } from './load.mjs';

const sources = ['src', 'scripts', 'completions', 'package.json', 'package-lock.json', 'rolldown.config.mjs'];
const last = sources.map((name) => newest(path.join(root, name)));
if (Math.max(...last) > timeOf(path.join(root, 'dist', 'build-id')))
  run([path.join(root, 'scripts', 'build.mjs')]);
run([path.join(root, 'bin', 'storectl.js'), ...process.argv.slice(2)]);

/** Ends with the status of a run that fails. */
function run(argv) {
  const { status } = spawnSync(process.execPath, argv, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

function newest(file) {
  if (!statSync(file).isDirectory()) return timeOf(file);
  const below = readdirSync(file, { recursive: true }).map((name) => timeOf(path.join(file, name)));
  return Math.max(...below);
}

function timeOf(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
