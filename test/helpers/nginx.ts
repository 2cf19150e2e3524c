import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './cli.ts';
import { freePort } from './free-port.ts';
import { createPrivateCa } from './private-ca.ts';

interface Nginx {
  /** The address of a server, by its name in `servers`. */
  readonly origins: Readonly<Record<string, string>>;
  /** For NODE_EXTRA_CA_CERTS. */
  readonly caFile: string;
}

/**
 * A real nginx with TLS in front of other servers, stopped after the test. `servers` holds the directives of one
 * `server` block each, by a name of the test's; `http` those that they share.
 */
export async function startNginx(servers: Readonly<Record<string, string>>, http = ''): Promise<Nginx> {
  const ports = new Map<string, number>();
  for (const name of Object.keys(servers)) ports.set(name, await freePort());
  const { folder, caFile } = await configureNginx('localhost', (files) => {
    const blocks = Object.entries(servers).map(
      ([name, directives]) => `server {
        listen 127.0.0.1:${ports.get(name)} ssl;
        server_name localhost;
        ssl_certificate ${files}/cert.pem;
        ssl_certificate_key ${files}/key.pem;
        ${directives}
      }`,
    );
    return `${http} ${blocks.join('\n')}`;
  });

  await runNginx(folder, [...ports.values()]);
  return {
    origins: Object.fromEntries([...ports].map(([name, port]) => [name, `https://localhost:${port}`])),
    caFile,
  };
}

/** Runs nginx in a folder of {@link configureNginx} until the test has finished. Resolves when it listens on the ports. */
export async function runNginx(folder: string, ports: readonly number[]): Promise<void> {
  const nginx = spawn('nginx', ['-p', folder, '-c', 'nginx.conf'], { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  nginx.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const ended = new Promise<void>((resolve, reject) => {
    nginx.on('error', reject);
    nginx.on('exit', () => resolve());
  });
  onTestFinished(async () => {
    nginx.kill('SIGTERM');
    await ended;
  });
  for (const port of ports) await listening(port, () => nginx.exitCode === null || output);
}

/** Makes a folder with `nginx.conf`, whose `http` block is given, and with `cert.pem` and `key.pem` for the host. */
export async function configureNginx(host: string, http: (folder: string) => string) {
  const folder = temporaryFolder();
  mkdirSync(path.join(folder, 'temp'));
  const ca = await createPrivateCa();
  const { cert, key } = await ca.issue(host);
  writeFileSync(path.join(folder, 'cert.pem'), cert);
  writeFileSync(path.join(folder, 'key.pem'), key);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/temp/${kind};`,
  );
  const config = `pid ${folder}/nginx.pid; daemon off; error_log ${folder}/error.log; events {}
    http { access_log off; ${temporary.join(' ')} ${http(folder)} }`;
  writeFileSync(path.join(folder, 'nginx.conf'), config);
  return { folder, caFile: ca.file };
}

/** Resolves when something listens on the port. Rejects with what `check` returns unless that is true. */
async function listening(port: number, check: () => true | string): Promise<void> {
  for (;;) {
    const state = check();
    if (state !== true) throw new Error(`nginx did not start: ${state}`);
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
    if (isOpen) return;
  }
}
