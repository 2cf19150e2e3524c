import { expect, test } from 'vitest';
import { startService } from '../helpers/service.ts';

test('without the viewer /docs says how to get it and where openapi.json is', async () => {
  const { fetchApp } = await startService();

  const answer = await fetchApp(new Request('http://service.test/docs'));

  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self';");
  const text = await answer.text();
  expect(text).toContain('<a href="openapi.json">openapi.json</a>');
  expect(text).toContain('npm install --ignore-scripts swagger-ui-dist');
});

test.each(['swagger-ui.css', 'package.json', 'constructor', '..%2fpackage.json', 'x/y'])(
  'there is no file /docs/%s',
  async (file) => {
    const { send } = await startService();

    expect(await send('GET', `/docs/${file}`)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  },
);
