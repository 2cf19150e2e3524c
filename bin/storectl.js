#!/usr/bin/env node
const {
  accessSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} = require('node:fs');
const { basename, dirname, isAbsolute, join } = require('node:path');
const { Script } = require('node:vm');

/*
 * Loads the built program, and keeps what V8 has compiled of it in the user's cache folder: compiling it again at every
 * start is a fifth of what a command takes. Node's own cache (`module.enableCompileCache`) does not do: it is filled
 * before a file runs, and so holds none of the functions that V8 compiles when they are first called.
 */
const built = join(__dirname, '..', 'dist');

/** Null where nothing can be kept; found when it is first looked for. */
let cacheFolder;

/**
 * V8 trusts what it is given, so nothing is read that another user, another build of Node or another build of this
 * program has written; and it refuses what was written under other flags.
 */
function findCacheFolder() {
  const folder = nameCacheFolder();
  try {
    const { uid, mode } = statSync(folder);
    // Windows has neither.
    if (process.getuid === undefined) return folder;
    return uid === process.getuid() && (mode & 0o022) === 0 ? folder : null;
  } catch {
    return folder;
  }
}

function nameCacheFolder() {
  const { HOME, USERPROFILE, XDG_CACHE_HOME, NODE_DISABLE_COMPILE_CACHE, NODE_OPTIONS = '' } = process.env;
  if (NODE_DISABLE_COMPILE_CACHE) return null;
  try {
    const { size, mtimeMs } = statSync(process.execPath);
    const id = readFileSync(join(built, 'build-id'), 'utf8');
    const flags = Buffer.from([...process.execArgv, NODE_OPTIONS].join(' ')).toString('base64url');
    const name = [process.version, process.arch, size, mtimeMs, process.getuid?.(), id, flags].join('-');
    const caches = XDG_CACHE_HOME || join(HOME || USERPROFILE, '.cache');
    return isAbsolute(caches) ? join(caches, 'storectl', 'compiled', name) : null;
  } catch {
    return null;
  }
}

/** The program's files that run, by their paths. */
const loaded = new Map();
let knowsAll = true;

const isNode20 = process.versions.node.startsWith('20.');

function load(file) {
  const found = loaded.get(file);
  if (found !== undefined) return found.module.exports;
  const source = readFileSync(file, 'utf8');
  // The first one, all that --version and --help need, is compiled faster than looked up.
  const isKept = loaded.size > 0;
  const cachedData = isKept ? readCompiled(file) : undefined;
  if (isKept && cachedData === undefined) knowsAll = false;
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    filename: file,
    cachedData,
  });
  // On Node 20 it refuses what is loaded after src/client/wire/v8-flags.ts has changed a flag, at every start.
  if (script.cachedDataRejected && !isNode20) knowsAll = false;
  const module = { exports: {} };
  loaded.set(file, { module, script });
  const folder = dirname(file);
  const requireFrom = (name) => (name.startsWith('.') ? load(join(folder, name)) : require(name));
  script.runInThisContext().call(module.exports, module.exports, requireFrom, module, file, folder);
  return module.exports;
}

function readCompiled(file) {
  if (cacheFolder === undefined) cacheFolder = findCacheFolder();
  if (cacheFolder === null) return undefined;
  try {
    const kept = readFileSync(compiledFile(file));
    const data = kept.subarray(0, -sumBytes);
    return kept.readInt32LE(data.length) === sumOf(data) ? data : undefined;
  } catch {
    return undefined;
  }
}

/** At the end of each file that is kept. V8 does not notice what is missing in the middle, and brings Node down. */
const sumBytes = 4;

/** Of a word in each 512 bytes: what a disk loses is a block of several. A longer loop would be optimized, for megabytes. */
function sumOf(data) {
  const words = new Int32Array(data.buffer, data.byteOffset, data.length >> 2);
  let sum = ~data.length;
  for (let at = 0; at < words.length; at += 128) sum = (Math.imul(sum, 31) + words[at]) | 0;
  return sum;
}

function compiledFile(file) {
  return join(cacheFolder, basename(file));
}

/** Once a run has needed a file for the first time, all of its files are kept anew, with what it has called in them. */
function keepCompiled() {
  if (knowsAll || cacheFolder === null) return;
  try {
    const builds = dirname(cacheFolder);
    for (const folder of [dirname(dirname(builds)), dirname(builds), builds, cacheFolder]) makeFolder(folder);
    accessSync(cacheFolder, constants.W_OK);
    if (isNode20) {
      // Back to the flags of a start, which src/client/wire/v8-flags.ts has changed: under others V8 refuses what is kept.
      require('node:v8').setFlagsFromString('--no-liftoff-only --wasm-tier-up --wasm-dynamic-tiering');
    }
    for (const [file, { script }] of [...loaded].slice(1)) {
      const data = script.createCachedData();
      const sum = Buffer.alloc(sumBytes);
      sum.writeInt32LE(sumOf(data));
      const draft = `${compiledFile(file)}.${process.pid}`;
      try {
        writeFileSync(draft, Buffer.concat([data, sum]), { mode: 0o600, flush: true });
        renameSync(draft, compiledFile(file));
      } catch (error) {
        rmSync(draft, { force: true });
        throw error;
      }
    }
    removeOld(builds);
  } catch {
    // Without it the program only starts more slowly.
  }
}

/** So many builds, of Node and of this program, are kept compiled at the same time. */
const mostBuilds = 10;

function removeOld(builds) {
  const folders = readdirSync(builds).map((name) => join(builds, name));
  const ages = new Map(folders.map((folder) => [folder, -statSync(folder).mtimeMs]));
  folders.sort((a, b) => ages.get(a) - ages.get(b));
  for (const folder of folders.slice(mostBuilds)) rmSync(folder, { recursive: true, force: true });
}

/** Not with `recursive`: on Node 20 that never returns where a folder is there but takes no new one. */
function makeFolder(folder) {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch {
    // It is there, or what is written into it fails.
  }
}

try {
  load(join(built, 'chunks', 'storectl.js'))
    .start()
    .then((exitCode) => {
      process.exitCode = exitCode;
      keepCompiled();
    });
} catch (error) {
  if (error.code !== 'ENOENT') throw error;
  process.stderr.write(
    'error: storectl is not built here\n  run `npm ci` in its folder, development packages included\n',
  );
  process.exitCode = 11;
}
