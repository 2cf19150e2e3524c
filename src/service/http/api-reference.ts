import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { memoize } from '../../base/memoize.ts';
import { packageFolder } from '../../base/package-folder.ts';
import { servedOperations } from '../../contract/operations/operations.ts';
import type { Content } from './http-message.ts';

/** Where the viewer is, relative to the service, for proxies that serve it below a path. */
const viewerPath = 'docs/viewer.js';

const readViewer = memoize(() => {
  const compressed = readFileSync(path.join(packageFolder(), 'dist', 'api-viewer.js.gz'));
  return { compressed, hash: createHash('sha256').update(compressed).digest('hex').slice(0, 16) };
});

/** Scripts and requests of this service only. RapiDoc sets styles in the page. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Requests cannot be sent from the page: nobody should paste a key into a browser. Colors are set by the viewer. */
const viewerOptions = {
  'render-style': 'read',
  'show-header': false,
  'load-fonts': false,
  'allow-spec-file-download': false,
  'allow-try': false,
  'allow-authentication': false,
  'allow-server-selection': false,
  'show-method-in-nav-bar': 'as-colored-text',
  'nav-item-spacing': 'compact',
  'mono-font': 'monospace',
  'schema-style': 'table',
  'schema-expand-level': 2,
  'schema-description-expanded': true,
  'default-schema-tab': 'schema',
  'regular-font': 'system-ui, sans-serif',
};

const introduction = `Each request needs the header <code>Authorization: Bearer API_KEY</code>. All errors have the same form, with a
<code>code</code> for programs. This page shows <a href="openapi.json">openapi.json</a>, which any tool for OpenAPI 3.1 reads.`;

/** `GET /docs`: the reference of all operations, by RapiDoc. Without scripts the operations and a link to the description. */
export function showReference(): Content {
  const rows = servedOperations.map(
    (operation) =>
      `<tr><td><code>${operation.method} ${operation.path}</code></td><td>${operation.summary}</td></tr>`,
  );
  const attributes = Object.entries(viewerOptions).map(([name, value]) => `${name}="${value}"`);
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Store Management Service: API reference</title>
<link rel="icon" href="data:,">
<script type="module" src="${viewerPath}?${readViewer().hash}"></script>
<rapi-doc spec-url="openapi.json" ${attributes.join(' ')}>
<p slot="overview">${introduction}</p>
</rapi-doc>
<noscript>
<h1>Store Management Service</h1>
<p>${introduction}</p>
<table>
${rows.join('\n')}
</table>
</noscript>
</html>
`;
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  };
  return { status: 200, body: Buffer.from(html), headers };
}

/** `GET /docs/viewer.js`. Its address changes with its content, so a browser loads it once. */
export function sendViewer(acceptEncoding = ''): Content {
  const { compressed } = readViewer();
  const isCompressed = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(acceptEncoding);
  const headers = {
    'Content-Type': 'text/javascript; charset=utf-8',
    'Cache-Control': 'public, max-age=31536000, immutable',
    'X-Content-Type-Options': 'nosniff',
    Vary: 'Accept-Encoding',
    ...(isCompressed && { 'Content-Encoding': 'gzip' }),
  };
  return { status: 200, body: isCompressed ? compressed : gunzipSync(compressed), headers };
}
