import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/cli.ts';
import { startService } from '../helpers/service.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');

const program = `
import createClient from 'openapi-fetch';
import type { paths } from './api.js';

const [baseUrl = '', storeId = '', key = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${key}\` } });
const params = { path: { storeId } };
const path = '/v1/stores/{storeId}/operations/backups';

const made = await client.POST(path, {
  params,
  body: { label: 'nightly', sections: ['store', 'blog'], idempotencyKey: 'k' },
});
const sections: ('store' | 'blog' | 'settings' | 'endpoints')[] | null | undefined = made.data?.sections;

// @ts-expect-error: the service knows no such section.
const refused = await client.POST(path, { params, body: { label: 'x', sections: ['nope'], idempotencyKey: 'j' } });
const code: string | undefined = refused.error?.code;
if (refused.response.status === 422) console.log(JSON.stringify([sections, code, refused.error?.errors?.[0]?.pointer]));

const settings = '/v1/stores/{storeId}/operations/settings';
const { data } = await client.GET(settings, { params });
console.log(JSON.stringify(data?.storeId === storeId));
// What was read can be sent back as it is, or with another value.
if (data !== undefined) {
  const again = await client.PUT(settings, { params, body: data });
  const quietHours = { ...data.quietHours, start: '21:30' };
  const changed = await client.PUT(settings, { params, body: { ...data, quietHours } });
  console.log(JSON.stringify([again.response.status, changed.data?.quietHours.start, changed.data?.quietHours.timezone]));
}
`;

test('a client that is generated from openapi.json compiles, knows the values, and works with the service', async () => {
  const service = await startService();
  const folder = temporaryFolder();
  const at = { cwd: folder };
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(path.join(folder, 'client.ts'), program);
  await run(
    'npm',
    ['install', '--no-audit', 'openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5.9'],
    at,
  );

  await run('npx', ['openapi-typescript', path.join(root, 'openapi.json'), '-o', 'api.d.ts'], at);
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--skipLibCheck', 'false'];
  const types = ['--typeRoots', path.join(root, 'node_modules/@types'), '--types', 'node'];
  await run(path.join(root, 'node_modules/.bin/tsc'), [...options, ...types, 'client.ts'], at);
  const { stdout } = await run(
    process.execPath,
    ['client.js', service.origin, service.storeId, service.apiKey],
    at,
  );

  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([[['store', 'blog'], 'validation_failed', '/sections/0'], true, [200, '21:30', 'Europe/Berlin']]);
});
