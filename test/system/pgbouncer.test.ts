import { spawn } from 'node:child_process';
import { chownSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../helpers/cli.ts';
import { freePort } from '../helpers/free-port.ts';
import { startPostgres } from '../helpers/postgres.ts';
import { unprivilegedUser } from '../helpers/postgres-programs.ts';
import { openService, openTestStorage } from '../service/helpers/service.ts';

/** A real PgBouncer in transaction mode: a transaction has any of the `poolSize` connections to the server. */
async function startPgBouncer(port: string, poolSize: number): Promise<number> {
  const folder = temporaryFolder();
  const own = await freePort();
  const file = path.join(folder, 'pgbouncer.ini');
  writeFileSync(
    file,
    `[databases]
* = host=127.0.0.1 port=${port} user=storectl
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${poolSize}
`,
  );
  // It refuses to run as root.
  const user = await unprivilegedUser();
  if (user.uid !== undefined && user.gid !== undefined) {
    for (const name of [folder, file]) chownSync(name, user.uid, user.gid);
  }
  const pgbouncer = spawn('pgbouncer', [file], { ...user, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  const ended = new Promise<void>((resolve, reject) => {
    pgbouncer.on('error', reject);
    pgbouncer.on('exit', () => resolve());
  });
  onTestFinished(async () => {
    pgbouncer.kill('SIGTERM');
    await ended;
  });
  await new Promise<void>((resolve, reject) => {
    pgbouncer.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('process up')) resolve();
    });
    ended.then(() => reject(new Error(`PgBouncer did not start: ${output}`)), reject);
  });
  return own;
}

test('the service works behind PgBouncer in transaction mode', async () => {
  const cluster = await startPostgres();
  onTestFinished(() => cluster.stop());
  const { url } = await cluster.createDatabase();
  const { port } = new URL(url);
  const pooler = await startPgBouncer(port, 3);
  const storage = await openTestStorage(url.replace(port, String(pooler)));
  // Two stores, whose transactions share the connections: neither may see or lock the other's.
  const services = [await openService({ storage }), await openService({ storage })];
  const requests = Array.from({ length: 60 }, async (_, index) => {
    const service = services[index % 2] ?? services[0];
    const body = { kind: 'payment', reason: 'x', idempotencyKey: `k-${index % 20}` };
    const opened = await service?.call('disputes.open', '', body);
    if (opened?.status === 409) return;
    expect(opened?.status).toBe(201);
    const shown = await service?.call('disputes.show', opened?.body.id);
    expect(shown?.body.record.storeId).toBe(service?.storeId);
  });
  await Promise.all(requests);
  const backup = { label: 'x', sections: ['store', 'settings'], idempotencyKey: 'b' };
  for (const service of services) {
    const { id } = (await service.call('backup.create', '', backup)).body;
    const restore = { sections: ['store'], idempotencyKey: 'r' };
    expect((await service.call('backup.restore', id, restore)).status).toBe(200);
  }
  expect(await storage.read((db) => db.selectFrom('disputes').select('storeId').execute())).toHaveLength(20);
});
