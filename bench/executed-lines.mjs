// `npm run bench:lines`: how much source somebody reads to follow one command, and one request through the service: the
// lines of all files of which a function runs.
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import config from '../rolldown.config.mjs';
import { cleanEnvironment, program, root, startServer } from './lib/processes.mjs';
import { newStore, storeOf } from './lib/scene.mjs';

const hook = path.join(root, 'bench', 'lib', 'called-functions.cjs');
/** What bin/compiled.js puts before a file that it loads. It loads those of the main thread. */
const prefix = '(function (exports, require, module, __filename, __dirname) {';

process.chdir(root);
execFileSync('npm', ['run', 'build', '--silent'], { stdio: ['ignore', 'ignore', 2] });
const maps = await sourceMaps();
const folder = mkdtempSync(path.join(tmpdir(), 'storectl-executed-'));
// Functions of kept code are not counted.
const env = cleanEnvironment(folder, { NODE_DISABLE_COMPILE_CACHE: '1' });
const store = newStore({ node: process.execPath, env, folder });
const database = ['--port', '0', '--no-delivery', '--database', path.join(folder, 'service.db')];
const service = await startServer(
  process.execPath,
  ['--require', hook, program, 'service', 'start', ...database],
  { env, log: path.join(folder, 'service.log') },
);
try {
  const place = { env: { ...env, ...storeOf({ origin: service.origin, ...store }) } };
  print('storectl store update', filesOf(run(place, 'store', 'update', '--name', 'Traced')));
  // The first request compiles statements and reads the key.
  for (const start of ['21:00', '22:00']) {
    await reported(service.child);
    run(place, 'settings', 'save', '--quiet-hours-start', start);
  }
  const files = filesOf(await reported(service.child));
  print(
    'settings save, in the service',
    files.filter((file) => !file.startsWith('src/client/')),
  );
} finally {
  await service.stop();
  rmSync(folder, { recursive: true });
}

/** The source maps of the program as it was just built, by file. */
async function sourceMaps() {
  const found = new Map();
  for (const bundle of config) {
    const { output } = await build({
      ...bundle,
      write: false,
      output: { ...bundle.output, sourcemap: 'hidden' },
    });
    for (const { fileName, map } of output) {
      const file = path.resolve(bundle.output.dir, fileName);
      if (map) found.set(file, { map: new SourceMap(map), folder: path.dirname(file) });
    }
  }
  return found;
}

/** The functions that a command calls. */
function run({ env }, ...args) {
  const { status, output } = spawnSync(process.execPath, ['--require', hook, program, ...args], {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    maxBuffer: 100_000_000,
  });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`);
  return JSON.parse(output[3]);
}

/** The functions that the two threads of the service have called since they were asked last. */
async function reported(child) {
  child.kill('SIGUSR2');
  let lines = [''];
  while (lines.length < 3) {
    const text = lines.join('\n') + (await once(child.stdio[3], 'data'))[0];
    lines = text.split('\n');
  }
  return lines.slice(0, 2).flatMap((line) => JSON.parse(line));
}

/** The files of the source that functions of the built program come from. */
function filesOf(called) {
  const files = new Set();
  for (const [url, offset, thread] of called) {
    const file = url.startsWith('file:') ? fileURLToPath(url) : url;
    const found = maps.get(file);
    // The whole file, and the function that the launcher puts around it.
    if (found === undefined || offset <= 1) continue;
    const wrapper = thread === 'main' ? prefix : '';
    const before = (wrapper + readFileSync(file, 'utf8')).slice(0, offset).split('\n');
    const column = before.at(-1).length - (before.length === 1 ? wrapper.length : 0);
    const { originalSource, generatedLine } = found.map.findEntry(before.length - 1, column);
    // Libraries have no map: the entry found for them is the end of the source file before.
    if (generatedLine !== before.length - 1) continue;
    const source = path.relative(root, path.resolve(found.folder, originalSource ?? ''));
    if (source.startsWith('src/')) files.add(source);
  }
  return [...files];
}

function print(what, files) {
  const lines = files.map((file) => readFileSync(file, 'utf8').split('\n').length - 1);
  console.log(`${what}: ${lines.reduce((sum, count) => sum + count, 0)} lines in ${files.length} files`);
  if (process.argv.includes('--files'))
    for (const [index, file] of files.entries()) console.log(`  ${lines[index]} ${file}`);
}
