import { operations } from '../../contract/operations.ts';
import type { Content } from './http-message.ts';

/** `GET /docs`: the operations for people, and where the whole description is. The link is relative, for proxies. */
export function showReference(): Content {
  const rows = operations.map(
    ({ method, path, summary }) => `<tr><td><code>${method} ${path}</code></td><td>${summary}</td></tr>`,
  );
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Store Management Service</title>
<h1>Store Management Service</h1>
<p>Each request needs the header <code>Authorization: Bearer API_KEY</code>.
<a href="openapi.json">openapi.json</a> describes requests and responses; any viewer of OpenAPI shows it.</p>
<table>
${rows.join('\n')}
</table>
</html>
`;
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy':
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  };
  return { status: 200, body: Buffer.from(html), headers };
}
