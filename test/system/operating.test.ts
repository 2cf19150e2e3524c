import { execFile } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { newMachine, temporaryFolder } from '../helpers/cli.ts';
import { freePort } from '../helpers/free-port.ts';
import { configureNginx } from '../helpers/nginx.ts';
import { newProgramMachine } from '../helpers/program.ts';
import { startService } from '../helpers/service.ts';
import { typed } from '../helpers/typed.ts';

const run = promisify(execFile);

const page = readFileSync('docs/operating.md', 'utf8');

/** The block of shell commands of the page that contains `text`, without its indentation. */
function block(text: string): string {
  const blocks = [...page.matchAll(/^( *)```sh\n([\s\S]*?)^ *```/gm)].map(([, indent = '', lines = '']) =>
    lines.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
  const found = blocks.filter((lines) => lines.includes(text));
  expect(found, text).toHaveLength(1);
  return found[0] ?? '';
}

test('nginx accepts examples/nginx.conf', async () => {
  const { folder } = await configureNginx('stores.example.com', (files) =>
    readFileSync('examples/nginx.conf', 'utf8')
      .replace('/etc/ssl/certs/stores.example.com.pem', `${files}/cert.pem`)
      .replace('/etc/ssl/private/stores.example.com.key', `${files}/key.pem`),
  );

  const { stderr } = await run('nginx', ['-t', '-p', folder, '-c', path.join(folder, 'nginx.conf')]);

  expect(stderr).toContain('test is successful');
});

test('the copy of a SQLite database is readable by its owner alone, and works', async () => {
  const service = await startService();
  const folder = path.dirname(service.databaseFile);

  const machine = newProgramMachine();
  const typed = (text: string) => machine.shell(`set -e; umask 022; cd ${folder}; ${block(text)}`);
  expect(await typed('service backup')).toMatchObject({ exitCode: 0 });

  const copy = path.join(folder, 'copy.db');
  expect((statSync(copy).mode & 0o777).toString(8)).toBe('600');
  const listed = await newMachine().run(['service', 'stores', 'list', '-q', '--database', copy]);
  expect(listed).toMatchObject({ exitCode: 0, stdout: `${service.storeId}\n` });
});

test('systemd accepts examples/storectl@.service', async () => {
  const folder = temporaryFolder();
  const unit = path.join(folder, 'storectl@4010.service');
  copyFileSync('examples/storectl@.service', unit);
  // The user need not exist on this machine.
  writeFileSync(unit, readFileSync(unit, 'utf8').replace('User=storectl', 'User=root'));

  const { stdout, stderr } = await run('systemd-analyze', ['verify', '--recursive-errors=no', unit]);

  expect(`${stdout}${stderr}`).not.toMatch(/storectl@/);
});

test('two instances of the unit run side by side', async () => {
  const machine = newProgramMachine();
  const unit = readFileSync('examples/storectl@.service', 'utf8');
  const start = async (port: number) => {
    const settings = [...unit.matchAll(/^Environment=(.*)$/gm)].flatMap(([, line = '']) => line.split(' '));
    const env = Object.fromEntries(
      settings.map((setting) => {
        const [name = '', value = ''] = setting.split('=');
        return [name, value.replace('%i', String(port)).replace('%S/storectl', machine.folder)];
      }),
    );
    const instance = machine.start(['service', 'start'], { env });
    onTestFinished(() => void instance.process.kill('SIGKILL'));
    await instance.shown(/Metrics on/);
    for (const at of [`${port}/readyz`, `1${port}/metrics`])
      expect((await globalThis.fetch(`http://127.0.0.1:${at}`)).status).toBe(200);
  };

  const port = await freeShortPort();
  await start(port);
  await start(port + 1);
});

/** A port of four digits after which the next one is free too, and both with a 1 before them. */
async function freeShortPort(): Promise<number> {
  for (let port = 4_100; ; port += 2) {
    const areFree = await Promise.all([port, port + 1, port + 10_000, port + 10_001].map(isFree));
    if (!areFree.includes(false)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** A new PostgreSQL of this machine, whose client programs have its version. Stopped after the test. */
async function startPostgres() {
  const { stdout } = await run('pg_config', ['--bindir']);
  const bin = stdout.trim();
  const folder = temporaryFolder();
  const isRoot = process.getuid?.() === 0;
  const idOf = async (flag: string) => Number((await run('id', [flag, 'postgres'])).stdout);
  // PostgreSQL refuses root.
  const user = isRoot ? { uid: await idOf('-u'), gid: await idOf('-g') } : {};
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  if (isRoot) for (let up = folder; up !== tmpdir(); up = path.dirname(up)) chmodSync(up, 0o755);
  const data = path.join(folder, 'data');
  const port = String(await freePort());
  await run(path.join(bin, 'initdb'), ['-D', data, '-U', 'postgres', '--auth=trust'], {
    ...user,
    cwd: folder,
  });
  const control = (...args: string[]) =>
    run(path.join(bin, 'pg_ctl'), ['-D', data, '-l', path.join(folder, 'log'), '-w', ...args], {
      ...user,
      cwd: folder,
    });
  await control('-o', `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1`, 'start');
  onTestFinished(async () => {
    await control('-m', 'immediate', 'stop');
  });
  const url = `postgres://storectl:secret@127.0.0.1:${port}/stores`;
  const env = { ...process.env, PGHOST: '127.0.0.1', PGPORT: port, PGUSER: 'postgres' };
  /** Runs commands of the page. What asks for a password gets it. */
  const shell = (commands: string, cwd: string) => {
    const running = run('setsid', ['--wait', 'sh', '-e', '-c', commands], { env, cwd });
    running.child.stdin?.end('secret\nsecret\n');
    return running;
  };
  return { url, shell };
}

test('a dump of PostgreSQL is restored on a new server with the commands of the page', async () => {
  const folder = temporaryFolder();
  const machine = newMachine();
  const first = await startPostgres();
  await first.shell(block('createdb'), folder);
  const made = await machine.run(typed`service stores create --name A -q --database ${first.url}`);
  expect(made.stderr).toBe('');

  await first.shell(block('pg_dump'), folder);
  expect((statSync(path.join(folder, 'stores.dump')).mode & 0o777).toString(8)).toBe('600');
  const second = await startPostgres();
  await second.shell(block('createdb'), folder);
  await second.shell(block('pg_restore'), folder);

  const listed = await machine.run(['service', 'stores', 'list', '-q', '--database', second.url]);
  expect(listed).toMatchObject({ exitCode: 0, stdout: made.stdout, stderr: '' });
});

test('examples/storectl.env is the same to a shell that sources it and to systemd', async () => {
  const file = readFileSync('examples/storectl.env', 'utf8');
  const lines = file.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  // To both, what stands in single quotes is taken as it is.
  const settings = lines.map((line) => /^([A-Z_]+)='([^'\\\\]*)'$/.exec(line) ?? expect.fail(line));
  const names = settings.map(([, name = '']) => name);
  expect(names).toContain('STORECTL_SERVICE_DATABASE');
  const print = `set -a; . ./examples/storectl.env; for name in ${names.join(' ')}; do printenv "$name"; done`;
  const { stdout } = await run('sh', ['-eu', '-c', print]);
  expect(stdout.trim().split('\n')).toEqual(settings.map(([, , value]) => value));
});
