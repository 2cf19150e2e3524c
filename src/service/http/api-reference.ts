import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { notFound } from '../model/errors.ts';
import type { Content } from './http-message.ts';

/** The optional package that shows openapi.json as a page. */
const viewer = 'swagger-ui-dist';

/** Its files, and the script that starts it. */
const types: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['start.js', 'text/javascript; charset=utf-8'],
]);

/** Nothing from elsewhere, and no script in the page. The viewer sets styles of single elements. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** It only shows the operations. To try one, use the command line, which keeps a history. */
const start = `SwaggerUIBundle({
  url: document.body.dataset.api,
  domNode: document.getElementById('reference'),
  supportedSubmitMethods: [],
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  // A key would be of no use here.
  plugins: [() => ({ wrapComponents: { authorizeBtn: () => () => null, authorizeOperationBtn: () => () => null } })],
});
`;

/** `GET /docs`: the API reference, or how to get it if the viewer is not installed. Links are relative, for proxies. */
export function showReference(): Content {
  if (findViewer() !== null) {
    return page(`<link rel="stylesheet" href="docs/swagger-ui.css">
<div id="reference"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>`);
  }
  return page(
    // Without scripts: one of the viewer's own packages reports installations.
    `<p>To see the API reference here, run <code>npm install --ignore-scripts ${viewer}</code> in the directory that contains storectl; <a href="openapi.json">openapi.json</a> describes the API for programs.</p>`,
  );
}

/** `GET /docs/{file}`. Throws `not_found`. */
export function readViewerFile(file: string): Content {
  const folder = findViewer();
  const type = types.get(file);
  if (folder === null || type === undefined) throw notFound('Path', `/docs/${file}`);
  const content = file === 'start.js' ? Buffer.from(start) : readFileSync(path.join(folder, file));
  return withPolicy(content, { 'Content-Type': type, 'Cache-Control': 'public, max-age=3600' });
}

/** The folder of the viewer, which may be installed while the service runs. */
function findViewer(): string | null {
  try {
    const here = createRequire(path.join(import.meta.dirname, 'here'));
    return path.dirname(here.resolve(`${viewer}/package.json`));
  } catch {
    return null;
  }
}

function page(content: string): Content {
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Store Management Service</title>
<body data-api="openapi.json">
${content}
</html>
`;
  return withPolicy(html, { 'Content-Type': 'text/html; charset=utf-8' });
}

function withPolicy(body: string | Uint8Array, headers: Readonly<Record<string, string>>): Content {
  const safety = {
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  };
  return { status: 200, body, headers: { ...headers, ...safety } };
}
