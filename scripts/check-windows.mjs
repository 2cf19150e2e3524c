// Runs the built program as a user of Windows would, and says what does not work: the commands of the README, a drive that is
// not there, locks, and a batch that is killed again and again. Usage: node scripts/check-windows.mjs [bin/storectl.js]
// scripts/on-wine.sh runs it under Wine. It runs on every system, and needs Node alone.
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const program = path.resolve(process.argv[2] ?? 'bin/storectl.js');
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
function run(args, more = {}) {
  return new Promise((resolve) => {
    const options = { cwd: home, env: { ...env, ...more }, maxBuffer: 2 ** 26, timeout: 120_000 };
    const child = execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : (child.exitCode ?? error.code), stdout, stderr });
    });
    child.stdin?.end();
  });
}

function check(name, isRight, found) {
  console.log(`${isRight ? 'ok  ' : 'FAIL'} ${name}`);
  if (isRight) return;
  failures += 1;
  console.log(`     ${JSON.stringify(found)}`);
}

async function succeeds(name, args, pattern = /^/) {
  const result = await run(['--demo', ...args]);
  check(name, result.code === 0 && pattern.test(result.stdout + result.stderr), result);
  return result;
}

const version = await run(['--version']);
check('storectl --version', /^\d+\.\d+\.\d+/.test(version.stdout), version);
await succeeds('settings show', ['settings', 'show'], /Quiet hours start/);
const updated = await succeeds('store update', ['store', 'update', '--cashback-bp', '250'], /Updated store/);
const [, change = ''] = /undo (\w+)/.exec(updated.stderr) ?? [];
await succeeds('undo', ['undo', change], /./);
const { stdout } = await succeeds(
  'backup create',
  ['backup', 'create', '--label', 'nightly', '--sections', 'store,blog', '-q'],
  /^[\da-f-]{36}/,
);
const backup = stdout.trim();
await succeeds(
  'backup restore',
  ['backup', 'restore', backup, '--sections', 'store', '--confirm', backup],
  /Restored/,
);
await succeeds('history list', ['history', 'list'], /backup\.create/);
writeFileSync(
  path.join(home, 'decisions.csv'),
  'sep=;\r\nDispute ID;Status;Resolution\r\n01985f2e-7b90-7a16-9c48-5d1e3f82a6b4;won;Delivered\r\n;;\r\n',
);
await succeeds('disputes decide --from', ['disputes', 'decide', '--from', 'decisions.csv', '--confirm', '1']);
const outputs = await Promise.all(
  Array.from({ length: 4 }, () => run(['--demo', 'settings', 'show', '--output-file', 'out.json', '-q'])),
);
check(
  '--output-file, four at once',
  outputs.every(({ code }) => code === 0 || code === 2),
  outputs,
);

if (process.platform === 'win32') {
  for (const args of [
    ['--demo', 'settings', 'show'],
    ['service', 'stores', 'create', '--name', 'A'],
  ]) {
    const result = await run(args, { STORECTL_STATE_DIR: 'Q:\\state' });
    check(
      `a drive that is not there: ${args.join(' ')}`,
      result.code === 11 && !/stack/i.test(result.stderr),
      result,
    );
  }
  const hint = await run(['service', 'stores', 'list', '--database', 'C:\\my db\\x.db']);
  check('hints are quoted for cmd.exe', hint.stderr.includes('"C:\\my db\\x.db"'), hint);
}

const updates = await Promise.all(
  Array.from({ length: 6 }, (_, index) =>
    run(['--demo', 'backup', 'create', '--label', `${index}`, '--sections', 'store']),
  ),
);
check(
  'six changes at once wait for each other',
  updates.every(({ code }) => code === 0),
  updates,
);

const posts = Array.from({ length: 60 }, (_, index) => `kill-${index}.md`);
mkdirSync(path.join(home, 'posts'));
for (const name of posts) writeFileSync(path.join(home, 'posts', name), `# ${name}\n\nText of ${name}.\n`);
const create = ['--demo', 'blog', 'create', 'posts/*.md'];
let kills = 0;
for (let afterMs = 500; kills < 8; afterMs += 250) {
  const child = spawn(process.execPath, [program, ...create], { cwd: home, env, stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
  const timer = setTimeout(() => child.kill('SIGKILL'), afterMs);
  const code = await ended;
  clearTimeout(timer);
  if (code === 0) break;
  kills += 1;
}
const resumed = await run(['--demo', 'resume']);
const rest = await run(create);
check(`posts, killed ${kills} times, then continued`, [0, 10].includes(resumed.code) && rest.code === 0, {
  resumed,
  rest,
});
const page = await run(['--demo', 'api', '/v1/stores/{store}/blog/posts?limit=100']);
const titles = JSON.parse(page.stdout).items.flatMap(({ title }) =>
  title.startsWith('kill-') ? [title] : [],
);
check(
  'each post is there once',
  titles.length === posts.length && new Set(titles).size === posts.length,
  titles.length,
);

await succeeds('demo reset', ['demo', 'reset', '--confirm', 'demo']);
check('demo reset leaves nothing', !existsSync(path.join(state, 'demo')), state);

rmSync(home, { recursive: true, force: true, maxRetries: 10 });
console.log(failures === 0 ? 'All checks passed.' : `${failures} checks failed.`);
process.exitCode = failures === 0 ? 0 : 1;
