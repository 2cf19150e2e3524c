// Runs the built program as a user would, and says what does not work on this platform: the commands of the README, a service, state
// directories that cannot be, locks, a batch that is killed again and again, and one that is killed after it has sent.
// Usage: node scripts/check-platform.mjs [bin/storectl.js [command that runs Node, if not this Node]]
// scripts/on-wine.sh and scripts/on-arm64.sh run it. It needs Node alone.
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';

const [launcher = 'bin/storectl.js', command = process.execPath, ...before] = process.argv.slice(2);
const program = [...before, path.resolve(launcher)];
const home = mkdtempSync(path.join(tmpdir(), 'storectl-check-'));
const state = path.join(home, 'state with a space');
const { STORECTL_API_KEY: _, ...inherited } = process.env;
const env = {
  ...inherited,
  CI: '1',
  STORECTL_STATE_DIR: state,
  STORECTL_CONFIG_DIR: path.join(home, 'config'),
};
let failures = 0;

/** Runs a command; resolves to its exit code and what it printed. */
function run(args, more = {}, input = '') {
  return new Promise((resolve) => {
    const options = { cwd: home, env: { ...env, ...more }, maxBuffer: 2 ** 26, timeout: 240_000 };
    const child = execFile(command, [...program, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : (child.exitCode ?? error.code), stdout, stderr });
    });
    child.stdin?.end(input);
  });
}

function check(name, isRight, found) {
  console.log(`${isRight ? 'ok  ' : 'FAIL'} ${name}`);
  if (isRight) return;
  failures += 1;
  console.log(`     ${JSON.stringify(found)}`);
}

async function succeeds(name, args, pattern = /^/) {
  const result = await run(args);
  check(name, result.code === 0 && pattern.test(result.stdout + result.stderr), result);
  return result;
}

/** Starts a command and kills it after this time. Resolves to its exit code, null if it was killed. */
async function runAndKill(args, afterMs) {
  const child = spawn(command, [...program, ...args], { cwd: home, env, stdio: 'ignore' });
  const timer = setTimeout(() => child.kill('SIGKILL'), afterMs);
  const code = await new Promise((resolve) => child.once('exit', (exitCode) => resolve(exitCode)));
  const isKilled = child.killed;
  clearTimeout(timer);
  return isKilled ? null : code;
}

/** Writes posts into a folder and returns their titles. */
function writePosts(folder, count) {
  mkdirSync(path.join(home, folder));
  return Array.from({ length: count }, (_, index) => {
    const title = `${folder} ${index}`;
    writeFileSync(path.join(home, folder, `${folder}-${index}.md`), `# ${title}\n\nText of ${title}.\n`);
    return title;
  });
}

/** Checks that the store has each of these posts once. */
async function hasOnce(name, where, titles) {
  const { stdout, ...result } = await run([...where, 'blog', 'list', '--json']);
  const posts = JSON.parse(stdout || '[]').map(({ title }) => title);
  const found = posts.filter((title) => titles.includes(title));
  const isRight = found.length === titles.length && new Set(found).size === titles.length;
  check(name, isRight, isRight || { ...result, found: found.length, distinct: new Set(found).size });
}

async function checkReadme() {
  const version = await run(['--version']);
  check('storectl --version', /^\d+\.\d+\.\d+/.test(version.stdout), version);
  const demo = (...args) => ['--demo', ...args];
  const updated = await succeeds(
    'store update',
    demo('store', 'update', '--cashback-bp', '250'),
    /Updated store/,
  );
  const [, change = ''] = /undo (\w+)/.exec(updated.stderr) ?? [];
  await succeeds('undo', demo('undo', change), /./);
  const made = await succeeds(
    'backup create',
    demo('backup', 'create', '--label', 'nightly', '--sections', 'store,blog', '-q'),
    /^[\da-f-]{36}/,
  );
  const backup = made.stdout.trim();
  const restore = demo('backup', 'restore', backup, '--sections', 'store', '--confirm', backup);
  await succeeds('backup restore', restore, /Restored/);
  const post = ['--title', 'Spring sale', '--content-md', 'All inks **20 %** off.'];
  await succeeds('blog create', demo('blog', 'create', ...post, '-q'), /^[\da-f-]{36}/);
  const dispute = '01985f2e-7b90-7a16-9c48-5d1e3f82a6b4';
  const rows = ['sep=;', 'Dispute ID;Status;Resolution', `${dispute};won;Delivered`, ';;', ''].join('\r\n');
  writeFileSync(path.join(home, 'decisions.csv'), rows);
  await succeeds(
    'disputes decide --from',
    demo('disputes', 'decide', '--from', 'decisions.csv', '--confirm', '1'),
  );
  const decision = ['--status', 'won', '--resolution', 'Delivered', '--confirm', dispute];
  await succeeds('disputes decide', demo('disputes', 'decide', dispute, ...decision, '-q'));
  await succeeds('history list', demo('history', 'list', '--operation', 'backup.create'), /nightly/);
  await succeeds('resume', demo('resume'), /Nothing to resume/);
}

/** What is not a folder, and cannot become one: exit 11 in one line, from the history, the demo store and the service. */
async function checkStateDirectories() {
  const file = path.join(home, 'a-file');
  writeFileSync(file, 'x');
  const onWindows = ['Q:\\state', '\\\\nowhere\\share\\state', 'C:\\a|b'];
  const places = [
    file,
    path.join(file, 'below'),
    path.join(home, 'x'.repeat(5_000)),
    ...(process.platform === 'win32' ? onWindows : []),
  ];
  const commands = [
    ['--demo', 'settings', 'show'],
    ['service', 'stores', 'create', '--name', 'A'],
  ];
  for (const place of places) {
    for (const args of commands) {
      const result = await run(args, { STORECTL_STATE_DIR: place });
      const isRight =
        result.code === 11 && /^error: /m.test(result.stderr) && !/stack| at /i.test(result.stderr);
      check(`${place.slice(0, 80)} as the state directory: ${args.join(' ')}`, isRight, result);
    }
  }
}

/** The README's own service, a store in it, and a key. Calls `use`, and stops the service. */
async function withService(use) {
  const created = await run(['service', 'stores', 'create', '--name', 'My store', '-q']);
  const store = created.stdout.trim();
  const key = await run(['service', 'keys', 'create', '--store', store, '-q']);
  check('service stores create, service keys create', created.code === 0 && key.code === 0, [
    created,
    key.stderr,
  ]);
  const child = spawn(command, [...program, 'service', 'start', '--port', '0', '--json'], {
    cwd: home,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const origin = await new Promise((resolve) => {
    let text = '';
    child.once('exit', () => resolve(text));
    child.stdout.on('data', (chunk) => {
      text += chunk;
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? [];
      if (found !== undefined) resolve(found);
    });
  });
  check('service start', /^http:/.test(origin), origin);
  await use({ origin, store, key: key.stdout });
  child.kill('SIGTERM');
  await ended;
}

/** A copy of the database is made, and put in the place of another one. */
async function checkCopies() {
  const service = (...args) => ['service', ...args];
  await succeeds('service backup', service('backup', 'copy.db'), /Copied/);
  await succeeds('service restore', service('restore', 'copy.db', '--database', 'other.db'), /Restored/);
  await succeeds(
    'service restore over it',
    service('restore', 'copy.db', '--database', 'other.db'),
    /from before/,
  );
  const found = readdirSync(home).filter((name) => name.includes('.db'));
  check('three files are there, and no drafts', found.length === 3, found);
}

/** Passes everything on to the service, until `isLast` says of a change that its answer is the last: then it calls `cut`. */
async function startProxy(origin, isLast, cut) {
  const proxy = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const { method, url, headers } = incoming;
    const forwarded = request(origin + url, { method, headers, agent: false }, async (answer) => {
      const text = await buffer(answer);
      if (method === 'POST' && isLast()) return cut();
      outgoing.writeHead(answer.statusCode, answer.headers).end(text);
    });
    forwarded.on('error', () => outgoing.destroy());
    forwarded.end(body);
  });
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${proxy.address().port}`,
    close: () => proxy.closeAllConnections() ?? proxy.close(),
  };
}

async function checkService({ origin, store, key }) {
  let sent = 0;
  let child;
  const proxy = await startProxy(
    origin,
    () => ++sent > 20,
    () => child?.kill('SIGKILL'),
  );
  const login = [
    'auth',
    'login',
    '--profile',
    'local',
    '--base-url',
    proxy.origin,
    '--store',
    store,
    '--with-key',
  ];
  const loggedIn = await run(login, {}, key);
  check('auth login --with-key', loggedIn.code === 0, loggedIn.stderr);

  const titles = writePosts('sent', 60);
  const create = ['--profile', 'local', 'blog', 'create', 'sent/*.md'];
  child = spawn(command, [...program, ...create], { cwd: home, env, stdio: 'ignore' });
  await new Promise((resolve) => child.once('exit', resolve));
  check('a batch is killed after it has sent', child.killed && sent > 20, sent);
  child = undefined;
  sent = Number.NEGATIVE_INFINITY;
  const resumed = await run(['--profile', 'local', 'resume']);
  check('resume', resumed.code === 0, resumed);
  const rest = await run(create);
  check('the batch goes on', rest.code === 0, rest);
  await hasOnce('60 posts, each once', ['--profile', 'local'], titles);
  await succeeds('profile remove', ['profile', 'remove', 'local', '--confirm', 'local']);
  proxy.close();
}

async function checkLocks() {
  const outputs = await Promise.all(
    Array.from({ length: 4 }, () => run(['--demo', 'settings', 'show', '--output-file', 'out.json', '-q'])),
  );
  // Of those that come at the same time, one may have made the file.
  const areRight = outputs.every(({ code }) => code === 0 || code === 2);
  check('--output-file, four at once', areRight, outputs);
  const backups = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      run(['--demo', 'backup', 'create', '--label', `${index}`, '--sections', 'store']),
    ),
  );
  const wait = backups.every(({ code }) => code === 0);
  check('six changes at once wait for each other', wait, backups);
}

/** 900 posts, of a program that is killed twelve times, each time a little later. */
async function checkKills() {
  const titles = writePosts('kill', 900);
  const create = ['--demo', 'blog', 'create', 'kill/*.md'];
  const begun = Date.now();
  await run(['--demo', 'settings', 'show']);
  const startMs = Date.now() - begun;
  let kills = 0;
  let code = null;
  while (kills < 12 && code !== 0) {
    code = await runAndKill(create, startMs + 150 * kills);
    if (code === null) kills += 1;
  }
  const resumed = await run(['--demo', 'resume']);
  const rest = await run(create);
  const areRight = kills > 0 && resumed.code === 0 && rest.code === 0;
  check(`900 posts, killed ${kills} times, then continued`, areRight, { resumed, rest });
  await hasOnce('900 posts, each once', ['--demo'], titles);
}

await checkReadme();
await withService(checkService);
await checkCopies();
await checkStateDirectories();
if (process.platform === 'win32') {
  const hint = await run(['service', 'stores', 'list', '--database', 'C:\\my db\\x.db']);
  check('hints are quoted for cmd.exe', hint.stderr.includes('"C:\\my db\\x.db"'), hint);
}
await checkLocks();
await checkKills();
await succeeds('demo reset', ['--demo', 'demo', 'reset', '--confirm', 'demo']);
check('demo reset leaves nothing', !existsSync(path.join(state, 'demo')), state);

rmSync(home, { recursive: true, force: true, maxRetries: 10 });
console.log(failures === 0 ? 'All checks passed.' : `${failures} checks failed.`);
process.exitCode = failures === 0 ? 0 : 1;
