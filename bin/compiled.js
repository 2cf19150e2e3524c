/*
 * Runs the built program, and keeps the code that V8 has compiled in the user's cache folder.
 *
 * Why: without it, V8 compiles the same functions at every start. `npm run bench` shows what that takes, as "nothing kept
 * compiled" beside the row `storectl backup create --json`. Node's own cache, `module.enableCompileCache`, is no substitute:
 * Node 20 lacks it, and it stores a file before the file runs, without the functions that V8 compiles when they are first
 * called. Here a file is stored after a run, with all that the run called.
 *
 * V8 trusts cached code, so a stored file is used only if this user wrote it for this build of the program, this
 * build of Node and the same flags, and if its checksum is right. Without a cache, or with a damaged one, the program
 * starts more slowly, and nothing else changes.
 */
const fs = require('node:fs');
const { basename, dirname, isAbsolute, join } = require('node:path');
const { Script } = require('node:vm');

const isNode20 = process.versions.node.startsWith('20.');

/** Runs the program that `npm run build` has made in the folder, and sets the exit code of the process. */
exports.run = async function run(folder) {
  const entry = join(folder, 'chunks', 'storectl.js');
  if (!fs.existsSync(entry)) {
    process.stderr.write(
      'error: storectl is not built\n  Run `npm ci` in its folder, with development packages.\n',
    );
    process.exitCode = 11;
    return;
  }
  const program = openCompiled(folder);
  process.exitCode = await program.load(entry).start();
  program.keep();
};

/**
 * `load(file)` runs a CommonJS file and returns its exports; files that it requires by a relative path are loaded in the
 * same way. `keep()` stores what was compiled, if this run loaded a file that was not stored.
 */
function openCompiled(builtFolder) {
  /** By path, in the order in which they were loaded. */
  const loaded = new Map();
  let cache;
  let isComplete = true;

  function load(file) {
    const found = loaded.get(file);
    if (found !== undefined) return found.module.exports;
    const source = fs.readFileSync(file, 'utf8');
    // Compiling the first file, which is all that --version and --help need, is faster than reading the cache.
    const isStored = loaded.size > 0;
    if (isStored && cache === undefined) cache = findCache(builtFolder);
    const cachedData = isStored ? readStored(cache, file) : undefined;
    const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
      filename: file,
      cachedData,
    });
    // Node 20 refuses every file that is loaded after src/client/wire/v8-flags.ts has changed a flag.
    if (isStored && (cachedData === undefined || (script.cachedDataRejected && !isNode20)))
      isComplete = false;
    const module = { exports: {} };
    loaded.set(file, { module, script });
    const folder = dirname(file);
    const requireFrom = (name) => (name.startsWith('.') ? load(join(folder, name)) : require(name));
    script.runInThisContext().call(module.exports, module.exports, requireFrom, module, file, folder);
    return module.exports;
  }

  function keep() {
    if (isComplete || cache === null) return;
    try {
      makeFolder(cache);
      // V8 refuses code that was compiled with other flags than at start.
      if (isNode20)
        require('node:v8').setFlagsFromString(
          '--no-liftoff-only --wasm-tier-up --wasm-dynamic-tiering --interrupt-budget=67584',
        );
      for (const [file, { script }] of [...loaded].slice(1)) store(cache, file, script.createCachedData());
      removeOldest(dirname(cache));
    } catch {
      // The next start compiles again.
    }
  }

  return { load, keep };
}

/** The folder for this program and this Node; null if there is none, or another user may have written to it. */
function findCache(builtFolder) {
  const { HOME, USERPROFILE, LOCALAPPDATA, XDG_CACHE_HOME } = process.env;
  const { NODE_DISABLE_COMPILE_CACHE, NODE_OPTIONS = '' } = process.env;
  if (NODE_DISABLE_COMPILE_CACHE) return null;
  try {
    const { size, mtimeMs } = fs.statSync(process.execPath);
    const buildId = fs.readFileSync(join(builtFolder, 'build-id'), 'utf8');
    const flags = Buffer.from([...process.execArgv, NODE_OPTIONS].join(' ')).toString('base64url');
    const uid = process.getuid?.();
    const name = [process.version, process.arch, size, mtimeMs, uid, buildId, flags].join('-');
    const isWindows = process.platform === 'win32';
    const home = isWindows ? LOCALAPPDATA || join(USERPROFILE, 'AppData', 'Local') : HOME;
    // Root would create a home folder that does not exist.
    if (!XDG_CACHE_HOME && !fs.existsSync(home)) return null;
    const caches = XDG_CACHE_HOME || (isWindows ? home : join(home, '.cache'));
    if (!isAbsolute(caches)) return null;
    const folder = join(caches, 'storectl', 'compiled', name);
    const found = fs.statSync(folder, { throwIfNoEntry: false });
    // Windows has neither users nor modes.
    if (found === undefined || uid === undefined) return folder;
    return found.uid === uid && (found.mode & 0o022) === 0 ? folder : null;
  } catch {
    return null;
  }
}

/** Each stored file ends with a CRC-32 of all of it: V8 does not notice that a single bit is another, and crashes. */
const checksumBytes = 4;

function readStored(cache, file) {
  if (cache === null) return undefined;
  try {
    const stored = fs.readFileSync(join(cache, basename(file)));
    const data = stored.subarray(0, -checksumBytes);
    return stored.readUInt32LE(data.length) === crc32(data) ? data : undefined;
  } catch {
    return undefined;
  }
}

function store(cache, file, data) {
  const sum = Buffer.alloc(checksumBytes);
  sum.writeUInt32LE(crc32(data));
  const target = join(cache, basename(file));
  const draft = `${target}.${process.pid}`;
  try {
    fs.writeFileSync(draft, Buffer.concat([data, sum]), { mode: 0o600, flush: true });
    fs.renameSync(draft, target);
  } catch (error) {
    fs.rmSync(draft, { force: true });
    throw error;
  }
}

/** Loaded when it is needed: --version and --help read nothing that is stored. */
function crc32(data) {
  return require('node:zlib').crc32(data);
}

/** Not with mkdir's `recursive`: on Node 20 it never returns for a folder in which nothing can be made. */
function makeFolder(folder) {
  if (fs.existsSync(folder)) return;
  makeFolder(dirname(folder));
  fs.mkdirSync(folder, { mode: 0o700 });
}

const maxBuilds = 10;

/** Each build of the program and of Node has a folder. */
function removeOldest(folder) {
  const builds = fs.readdirSync(folder).map((name) => {
    const build = join(folder, name);
    return { build, time: fs.statSync(build).mtimeMs };
  });
  builds.sort((a, b) => b.time - a.time);
  for (const { build } of builds.slice(maxBuilds)) fs.rmSync(build, { recursive: true, force: true });
}
