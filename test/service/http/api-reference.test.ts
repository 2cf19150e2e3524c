import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { servedOperations } from '../../../src/contract/operations/operations.ts';
import { openService } from '../helpers/service.ts';

test('/docs has the operations for a browser without scripts, and only links that hold behind a path of a proxy', async () => {
  const { fetchApp } = await openService();

  const answer = await fetchApp(new Request('http://service.test/docs'));

  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const policy = answer.headers.get('content-security-policy');
  expect(policy).toMatch(/^default-src 'none'; script-src 'self';/);
  expect(policy).not.toMatch(/https?:|unsafe-eval|script-src[^;]*unsafe/);
  const text = await answer.text();
  expect(text).toContain('<a href="openapi.json">openapi.json</a>');
  expect(text.match(/<tr>/g)).toHaveLength(servedOperations.length);
  expect(text).toContain('<code>POST /v1/stores/{storeId}/operations/backups</code>');
  const links = [...text.matchAll(/(?:src|href|spec-url)="([^"]+)"/g)].map(([, link]) => link);
  expect(links.filter((link) => link?.startsWith('/') || link?.includes('//'))).toEqual([]);
});

test('the viewer of /docs is compressed for who can read that, and its address changes with its content', async () => {
  const { fetchApp } = await openService();
  const page = await (await fetchApp(new Request('http://service.test/docs'))).text();
  const [, source = ''] = /<script type="module" src="([^"]+)"/.exec(page) ?? [];
  expect(source).toMatch(/^docs\/viewer\.js\?[0-9a-f]{16}$/);
  const load = (headers: Record<string, string>) =>
    fetchApp(new Request(`http://service.test/${source}`, { headers }));

  const plain = await load({ 'accept-encoding': 'gzip;q=0, br' });
  const compressed = await load({ 'accept-encoding': 'gzip, deflate, br' });

  expect(plain.headers.get('content-encoding')).toBeNull();
  expect(compressed.headers.get('content-encoding')).toBe('gzip');
  for (const { headers } of [plain, compressed]) {
    expect(headers.get('content-type')).toMatch(/^text\/javascript/);
    expect(headers.get('cache-control')).toContain('immutable');
    expect(headers.get('vary')).toBe('Accept-Encoding');
  }
  const script = await plain.text();
  expect(script).toContain('rapi-doc');
  expect(gunzipSync(Buffer.from(await compressed.arrayBuffer())).toString()).toBe(script);
});
