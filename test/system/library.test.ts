import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessTo } from '../helpers/cli.ts';
import { startLossyProxy } from '../helpers/lossy-proxy.ts';
import { packProgram } from '../helpers/package.ts';
import { testNode } from '../helpers/program.ts';
import { startService } from '../helpers/service.ts';
import { typed } from '../helpers/typed.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');

/** A project of a user that has installed the package, without anything else. */
let folder: string;

beforeAll(async () => {
  const { file } = await packProgram();
  folder = mkdtempSync(path.join(tmpdir(), 'storectl-library-'));
  writeFileSync(path.join(folder, 'package.json'), '{"private":true}');
  const env = {
    PATH: `${path.dirname(testNode)}:${process.env.PATH}`,
    HOME: folder,
    npm_config_offline: 'true',
  };
  await run('npm', ['install', '--no-audit', '--omit=optional', file], { cwd: folder, env });
});

afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

test('the script of docs/library.md takes a backup and survives a killed connection', async () => {
  const [, script = ''] =
    /```js\n([\s\S]*?)```/.exec(readFileSync(path.join(root, 'docs/library.md'), 'utf8')) ?? [];
  const service = await startService();
  const proxy = await startLossyProxy(service.origin, (_, number) => (number === 1 ? 'drop' : 'pass'));
  const env = accessTo({ ...service, origin: proxy.origin });

  const { stdout } = await run(testNode, [write('script.mjs', script)], { cwd: folder, env });

  expect(stdout).toMatch(/^applied [0-9a-f-]{36}\n$/);
  expect(proxy.requests.length).toBeGreaterThan(1);
  const kept = await service.storage.read((db) => db.selectFrom('backups').select('label').execute());
  expect(kept).toEqual([{ label: 'nightly' }]);
});

test('a script keeps the settings of its JavaScript engine', async () => {
  const script = `
    require('node:v8').setFlagsFromString = (flags) => console.log('changed', flags);
    const { createClient } = require('storectl/client');
    const client = createClient({ baseUrl: 'http://127.0.0.1:1', storeId: 's', apiKey: 'k', timeoutMs: 100 });
    client.showSettings().then(({ kind }) => console.log(kind)).finally(() => client.close());`;

  const { stdout } = await run(testNode, [write('flags.cjs', script)], { cwd: folder });

  expect(stdout).toBe('not_sent\n');
});

test('CommonJS and ES modules get the same functions and classes', async () => {
  const script = `
    const client = require('storectl/client');
    const history = require('storectl/history');
    Promise.all([import('storectl/client'), import('storectl/history')]).then(([c, h]) => {
      const same = c.createClient === client.createClient && h.createHistory === history.createHistory;
      console.log(same, Object.keys(history).sort().join(' '));
    });`;

  const { stdout } = await run(testNode, [write('script.cjs', script)], { cwd: folder });

  expect(stdout).toBe('true HistoryError RefusedError createHistory\n');
});

const program = `
import { createClient, type Backup, type Result } from 'storectl/client';
import { createHistory, HistoryError, type HistoryEntry } from 'storectl/history';

export async function main(): Promise<HistoryEntry | undefined> {
  const store = { baseUrl: 'https://api.example.com', storeId: 's' };
  const history = createHistory({ folder: 'x', ...store });
  const client = createClient({ ...store, apiKey: 'k', history });
  const backup: Result<Backup> = await client.createBackup({ label: 'x', sections: ['store', 'a new one'] });
  if (backup.kind === 'applied') {
    const id: string = backup.body.id;
    console.log(id, backup.body.anything, backup.drift.length);
  } else if (backup.kind === 'rejected') console.log(backup.problem.code === 'validation_failed');
  else console.log(backup.failure.message, backup.retryAt);
  // @ts-expect-error: only an applied operation has a body.
  backup.body;
  // @ts-expect-error: the label is missing.
  await client.createBackup({ sections: ['store'] });
  // @ts-expect-error: a typo.
  await client.createBackup({ lable: 'x', label: 'x', sections: ['store'] });
  // @ts-expect-error: the id is missing.
  await client.showDispute();
  const dispute = await client.showDispute({ disputeId: 'd' }, { signal: AbortSignal.timeout(5) });
  if (dispute.kind === 'applied') console.log(dispute.body.record.status === 'open', dispute.body.evidence[0]?.label);
  const restored = await client.restoreBackup({ backupId: 'b', sections: ['blog'] });
  if (restored.kind === 'applied') console.log(restored.body.preRestoreBackupId.length, restored.body.sections.blog?.returned);
  const appeal = await client.appealReclaim({ reclaimId: 'r', text: 'x' });
  if (appeal.kind === 'applied') console.log(appeal.body.appealedAt.length);
  await client.updateStore({ settings: { socials: { x: null }, checkout: { termsRequired: true } } });
  for (const { action, outcome } of await client.resume()) console.log(action, outcome?.kind);
  try {
    await client.markNotificationsRead();
  } catch (error) {
    if (error instanceof HistoryError) console.log(error.code);
  }
  return (await history.list({ open: true }))[0];
}
`;

test.each([
  ['an ES module', 'consumer.mts', 'nodenext'],
  ['CommonJS', 'consumer.cts', 'node16'],
  ['a bundler', 'consumer.ts', 'bundler'],
])('the types hold for %s, and need no other package', async (_, name, resolution) => {
  const modules = resolution === 'bundler' ? ['--module', 'esnext'] : ['--module', resolution];
  const options = [...modules, '--moduleResolution', resolution, '--strict', '--exactOptionalPropertyTypes'];
  const types = ['--typeRoots', path.join(root, 'node_modules/@types'), '--types', 'node'];
  const checks = typed`--noEmit --skipLibCheck false --target es2022 --verbatimModuleSyntax false`;
  const tsc = path.join(root, 'node_modules/.bin/tsc');

  const result = await run(tsc, [...options, ...types, ...checks, write(name, program)], {
    cwd: folder,
  }).catch((error: { stdout: string }) => error);

  expect(result.stdout).toBe('');
});

test('what a module exports is what its types declare, and the TypeScript example compiles and runs', async () => {
  const example = write('example.mts', readFileSync(path.join(root, 'examples/library.ts'), 'utf8'));
  const types = ['--typeRoots', path.join(root, 'node_modules/@types'), '--types', 'node'];
  const options = [...typed`--module nodenext --target es2022 --strict --skipLibCheck false`, ...types];
  const tsc = path.join(root, 'node_modules/.bin/tsc');
  const service = await startService();

  const compiled = await run(tsc, [...options, example], { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  );
  expect(compiled.stdout).toBe('');
  const env = accessTo(service);
  const { stdout } = await run(testNode, ['example.mjs'], { cwd: folder, env });
  expect(stdout).toMatch(/^0 posts are back; undo with [0-9a-f-]{36}\n$/);

  const exported = await run(testNode, ['-p', `Object.keys(require('storectl/client')).join()`], {
    cwd: folder,
  });
  expect(exported.stdout).toBe('createClient\n');
});
