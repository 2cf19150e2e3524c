import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startNginx } from '../helpers/nginx.ts';
import { type ProgramMachine, programMachineFor } from '../helpers/program.ts';
import { startService, type TestService } from '../helpers/service.ts';
import { typed } from '../helpers/typed.ts';

const webhook = 'https://discord.com/api/webhooks/4711/a-token';

/** The machine of a user whose service is behind nginx. */
function machineBehind(service: TestService, origin: string | undefined, caFile: string): ProgramMachine {
  return programMachineFor({ ...service, origin: origin ?? '' }, { NODE_EXTRA_CA_CERTS: caFile });
}

/** Runs a command that must succeed and returns its JSON. */
async function done(machine: ProgramMachine, ...args: readonly string[]) {
  const { exitCode, stdout, stderr } = await machine.run([...args, '--json']);
  expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }, args.join(' ')).toEqual({
    exitCode: 0,
    stderr: '',
  });
  return JSON.parse(stdout);
}

/** Markdown files in the machine's folder. Returns the pattern that names them. */
function writePosts(machine: ProgramMachine, count: number): string {
  mkdirSync(path.join(machine.folder, 'posts'), { recursive: true });
  for (let number = 1; number <= count; number += 1) {
    writeFileSync(path.join(machine.folder, 'posts', `post-${number}.md`), `# Post ${number}\n\nText.\n`);
  }
  return 'posts/*.md';
}

test('all operations through TLS, gzip and connections that nginx closes after each third request', async () => {
  const service = await startService();
  const { origins, caFile } = await startNginx({
    all: `gzip on; gzip_types *; gzip_min_length 1; keepalive_requests 3; location / { proxy_pass ${service.origin}; }`,
  });
  const machine = machineBehind(service, origins.all, caFile);
  const run = (...args: readonly string[]) => done(machine, ...args);
  const { disputes, reclaims } = service.example;
  const dispute = disputes.find(({ status }) => status === 'open')?.id ?? '';
  const notice = reclaims[0]?.id ?? '';

  expect(await run('store', 'update', '--name', 'Behind nginx')).toMatchObject({ name: 'Behind nginx' });
  const backup = await run('backup', 'create', '--label', 'first', '--sections', 'store,blog');
  expect(await run('blog', 'create', '--title', 'Sale', '--content-md', 'x')).toMatchObject({ slug: 'sale' });
  await run('backup', 'restore', backup.id, '--sections', 'blog', '--confirm', backup.id);
  await run('settings', 'save', '--quiet-hours-start', '20:00');
  expect(await run('settings', 'show')).toMatchObject({ quietHours: { start: '20:00' } });
  const opened = await run('disputes', 'open', '--reason', 'Never arrived');
  expect(await run('disputes', 'show', opened.id)).toMatchObject({ record: { reason: 'Never arrived' } });
  const decision = ['--status', 'won', '--resolution', 'Delivered.', '--confirm', dispute];
  expect(await run('disputes', 'decide', dispute, ...decision)).toMatchObject({ status: 'won' });
  expect(await run('reclaim', 'appeal', notice, '--text', 'Ours.', '--confirm', notice)).toMatchObject({
    reclaimId: notice,
  });
  await run('notify', 'add-endpoint', '--name', 'Team', '--url', webhook, '--events', 'feedback_digest');
  expect(await run('notify', 'mark-read', '--all')).toEqual({ ok: true });

  const posts = await run('blog', 'create', writePosts(machine, 20));
  expect(posts.map(({ outcome }: { outcome: string }) => outcome)).toEqual(Array(20).fill('applied'));
});

test('a body that nginx refuses (413) is exit 7, and nothing is left open', async () => {
  const service = await startService();
  const { origins, caFile } = await startNginx({
    small: `client_max_body_size 1k; location / { proxy_pass ${service.origin}; }`,
  });
  const machine = machineBehind(service, origins.small, caFile);

  const { exitCode, stderr } = await machine.run([
    ...['blog', 'create', '--title', 'Long', '--content-md', 'x'.repeat(5000)],
  ]);

  expect(stderr).toContain('413');
  expect(exitCode).toBe(7);
  expect((await machine.run(['resume', '--json'])).stdout).toBe('[]\n');
});

test.each([
  ['without Retry-After', ''],
  ['with Retry-After', 'error_page 429 = @limited;'],
])(
  'a rate limit of 5 requests a second, %s, slows 40 posts down, and all are created',
  async (_, errorPage) => {
    const service = await startService();
    const { origins, caFile } = await startNginx(
      {
        limited: `${errorPage}
        location / { limit_req zone=posts; limit_req_status 429; proxy_pass ${service.origin}; }
        location @limited { add_header Retry-After 1 always; return 429; }`,
      },
      'limit_req_zone $server_name zone=posts:1m rate=5r/s;',
    );
    const machine = machineBehind(service, origins.limited, caFile);

    const { exitCode, stdout, stderr } = await machine.run(
      typed`blog create ${writePosts(machine, 40)} --json`,
    );

    expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
    const posts = JSON.parse(stdout) as { outcome: string; id: string }[];
    expect(posts.map(({ outcome }) => outcome)).toEqual(Array(40).fill('applied'));
    expect(new Set(posts.map(({ id }) => id)).size).toBe(40);
  },
);

test('a service that is down behind nginx (502): a read is exit 9, a write may have been applied', async () => {
  const service = await startService();
  const { origins, caFile } = await startNginx({ down: 'location / { proxy_pass http://127.0.0.1:9; }' });
  const machine = machineBehind(service, origins.down, caFile);

  const read = await machine.run(['settings', 'show', '--timeout', '3']);
  const post = await machine.run(['blog', 'create', '--title', 'A', '--content-md', 'x', '--timeout', '3']);

  expect(read).toMatchObject({ exitCode: 9, stdout: '' });
  expect(read.stderr).toContain('502');
  expect(post).toMatchObject({ exitCode: 10, stdout: '' });
  expect(post.stderr).toContain('storectl resume');
});
