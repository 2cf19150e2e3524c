import { expect, test } from 'vitest';
import { operations } from '../../../src/contract/operations.ts';
import { startService } from '../helpers/service.ts';

test('/docs lists the operations without a script, and leads to openapi.json, also behind a path of a proxy', async () => {
  const { fetchApp } = await startService();

  const answer = await fetchApp(new Request('http://service.test/docs'));

  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none';/);
  const text = await answer.text();
  expect(text).toContain('<a href="openapi.json">openapi.json</a>');
  expect(text.match(/<tr>/g)).toHaveLength(operations.length);
  expect(text).toContain('<code>POST /v1/stores/{storeId}/operations/backups</code>');
});
