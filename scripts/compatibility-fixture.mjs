// Writes what this version leaves on disk to test/compatibility/VERSION: settings, a history and a database. Run it for a release and
// whenever the schema changes before, `npm run build && node scripts/compatibility-fixture.mjs`, and commit the folder: later versions
// have to open it.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { root } from './load.mjs';

const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const port = await findPort();
const baseUrl = `http://127.0.0.1:${port}`;
const work = mkdtempSync(path.join(tmpdir(), 'storectl-fixture-'));
const target = path.join(root, 'test/compatibility', version);
const database = path.join(work, 'service.db');
const env = {
  PATH: process.env.PATH,
  HOME: work,
  STORECTL_CONFIG_DIR: path.join(work, 'config'),
  STORECTL_STATE_DIR: path.join(work, 'state'),
};
const program = path.join(root, 'bin/storectl.js');

/** A loopback port that nothing listens on: the same as in earlier fixtures if possible, so that they differ less. */
async function findPort(wanted = 47610) {
  const server = createServer();
  const isFree = await new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(wanted, '127.0.0.1', () => resolve(true));
  });
  if (!isFree) return findPort(0);
  const found = server.address().port;
  await new Promise((resolve) => server.close(resolve));
  return found;
}

/** What a command prints. `allowed` are exit codes other than 0 that are meant. */
function storectl(args, { input = '', allowed = [] } = {}) {
  try {
    return execFileSync(process.execPath, [program, ...args], { env, input, encoding: 'utf8' }).trim();
  } catch (error) {
    if (allowed.includes(error.status)) return error.stdout.trim();
    throw error;
  }
}

const store = storectl(['service', 'stores', 'create', '--database', database, '--name', 'Ink', '-q']);
const key = storectl(['service', 'keys', 'create', '--database', database, '--store', store, '-q']);
const service = spawn(
  process.execPath,
  [program, 'service', 'start', '--database', database, '--port', String(port)],
  { env, stdio: 'ignore' },
);
const login = ['auth', 'login', '--base-url', baseUrl, '--store', store, '--with-key', '--timeout', '20'];
storectl(login, { input: key });
storectl(['store', 'update', '--cashback-bp', '100']);
storectl(['store', 'update', '--cashback-bp', '250']);
storectl(['settings', 'save', '--set', 'showcase.enabled=true', '--set', 'showcase.summary=Inks']);
const backup = storectl(['backup', 'create', '--label', 'nightly', '--sections', 'store,blog', '-q']);
storectl(['backup', 'restore', backup, '--sections', 'store', '--confirm', backup]);
for (const name of ['one', 'two']) writeFileSync(path.join(work, `${name}.md`), `# Post ${name}\n\nText.\n`);
storectl(['blog', 'create', path.join(work, 'one.md'), path.join(work, 'two.md')]);
storectl(['disputes', 'open', '--reason', 'Never arrived']);
storectl(
  [
    'reclaim',
    'appeal',
    '01985f2e-7b90-7a16-9c48-5d1e3f82a6b4',
    '--text',
    'Ours',
    '--confirm',
    '01985f2e-7b90-7a16-9c48-5d1e3f82a6b4',
  ],
  { allowed: [5] },
);
service.kill('SIGTERM');
await new Promise((resolve) => service.on('exit', resolve));

// One in doubt: a service that reads the request and never answers it.
const deaf = createServer((request) => request.resume().on('end', () => request.socket.destroy()));
await new Promise((resolve) => deaf.listen(port, '127.0.0.1', resolve));
const post = spawn(
  process.execPath,
  [program, 'blog', 'create', '--title', 'In doubt', '--content-md', 'x'],
  {
    env,
    stdio: 'ignore',
  },
);
const code = await new Promise((resolve) => post.on('exit', resolve));
deaf.close();
if (code !== 10) throw new Error(`the post in doubt ended with exit code ${code}`);

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const settings = readFileSync(path.join(work, 'config/settings.json'), 'utf8');
// What looks like a key would alarm every scanner of repositories.
writeFileSync(path.join(target, 'settings.json'), settings.replaceAll(key, 'key-of-the-fixture'));
cpSync(path.join(work, 'state/history'), path.join(target, 'history'), {
  recursive: true,
  filter: (file) => path.basename(file) !== 'locks',
});
writeFileSync(path.join(target, 'service.db.gz'), gzipSync(readFileSync(database), { level: 9 }));
rmSync(work, { recursive: true });
execFileSync(
  process.execPath,
  [path.join(root, 'node_modules/@biomejs/biome/bin/biome'), 'format', '--write', target],
  {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  },
);
console.log(target);
