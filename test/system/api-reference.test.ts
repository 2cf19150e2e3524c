import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { operations } from '../../src/contract/operations.ts';
import { temporaryFolder } from '../helpers/cli.ts';
import { packProgram } from '../helpers/package.ts';

const run = promisify(execFile);

/** The installed package with the viewer beside it, serving. */
async function startInstalled(): Promise<string> {
  const { file } = await packProgram();
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, 'package.json'), '{"private":true}');
  const packages = [file, 'swagger-ui-dist@5.35.0'];
  await run('npm', ['install', '--no-audit', '--prefer-offline', '--ignore-scripts', ...packages], {
    cwd: folder,
  });
  const program = path.join(folder, 'node_modules/.bin/storectl');
  const service = spawn(program, ['service', 'start', '--port', '0', '--database', 'service.db'], {
    cwd: folder,
  });
  onTestFinished(async () => {
    service.kill('SIGTERM');
    await once(service, 'close');
  });
  for await (const text of service.stdout) {
    const origin = /Listening on (\S+)/.exec(String(text))?.[1];
    if (origin !== undefined) return origin;
  }
  throw new Error('the service ended');
}

/** What a browser without a network shows, and what it complains about. */
async function open(url: string) {
  const offline = [
    '--disable-background-networking',
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  ];
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const profile = `--user-data-dir=${temporaryFolder()}`;
  const look = ['--virtual-time-budget=20000', '--enable-logging=stderr', '--dump-dom'];
  const { stdout, stderr } = await run(
    'chromium',
    ['--headless', '--disable-gpu', ...sandbox, profile, ...offline, ...look, url],
    { maxBuffer: 2 ** 26 },
  );
  return { page: stdout, complaints: stderr.split('\n').filter((line) => line.includes('CONSOLE')) };
}

test('/docs shows every operation in a browser, offline and under its strict policy', async () => {
  const origin = await startInstalled();

  const { page, complaints } = await open(`${origin}/docs`);
  const detail = await open(`${origin}/docs#/backup/backup.create`);

  expect(complaints).toEqual([]);
  for (const { summary } of operations) expect(page).toContain(summary);
  expect(page).not.toContain('Authorize');
  expect(detail.page).toContain('nightly-2030-01-31');
  expect(detail.page).toContain('backups:write');
  expect(detail.page).not.toContain('Try it out');

  const html = await globalThis.fetch(`${origin}/docs`);
  const policy = html.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("script-src 'self';");
  expect(policy).not.toContain('unsafe-eval');
  for (const [, link = ''] of (await html.text()).matchAll(/(?:href|src)="([^"]+)"/g)) {
    const asset = await globalThis.fetch(`${origin}/${link}`);
    const type = link.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8';
    expect([asset.status, asset.headers.get('content-type')]).toEqual([200, type]);
    expect(asset.headers.get('cache-control')).toBe('public, max-age=3600');
    expect(asset.headers.get('x-content-type-options')).toBe('nosniff');
  }
});
