import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { notFound } from '../model/errors.ts';
import type { Content } from './http-message.ts';

/** The optional package that shows openapi.json as a page. */
const viewer = 'swagger-ui-dist';

const types: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

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

interface Reference {
  /** `GET /docs`: the API reference, or how to get it if the viewer is not installed. Links are relative, for proxies. */
  page(): Content;
  /** `GET /docs/{version}/{file}`: a file of the viewer. A new version has a new path, so browsers may keep it. */
  file(version: string, file: string): Content;
}

/** Makes each page and file once, when it is first asked for. */
export function createReference(): Reference {
  const made = new Map<string, Content>();
  let installed: Viewer | null = null;

  function once(name: string, make: () => Content): Content {
    const content = made.get(name) ?? make();
    made.set(name, content);
    return content;
  }

  return {
    page() {
      // It may be installed while the service runs.
      installed ??= findViewer();
      if (installed === null) return once('hint', showHint);
      const { version } = installed;
      return once('page', () => showViewer(`docs/${version}`));
    },
    file(version, file) {
      installed ??= findViewer();
      const type = file === 'start.js' ? types['swagger-ui-bundle.js'] : types[file];
      if (installed === null || installed.version !== version || type === undefined) {
        throw notFound('Path', `/docs/${version}/${file}`);
      }
      const { folder } = installed;
      return once(`file ${file}`, () => {
        const content = file === 'start.js' ? Buffer.from(start) : readFileSync(path.join(folder, file));
        const headers = { 'Content-Type': type, 'Cache-Control': 'public, max-age=31536000, immutable' };
        return reply(content, headers);
      });
    },
  };
}

function showHint(): Content {
  return page(
    // Without scripts: one of the viewer's own packages reports installations.
    `<p>To see the API reference here, run <code>npm install --ignore-scripts ${viewer}</code> in the directory that contains storectl; <a href="openapi.json">openapi.json</a> describes the API for programs.</p>`,
  );
}

function showViewer(assets: string): Content {
  return page(`<link rel="stylesheet" href="${assets}/swagger-ui.css">
<div id="reference"></div>
<script src="${assets}/swagger-ui-bundle.js"></script>
<script src="${assets}/start.js"></script>`);
}

interface Viewer {
  readonly folder: string;
  readonly version: string;
}

function findViewer(): Viewer | null {
  try {
    const file = createRequire(path.join(import.meta.dirname, 'here')).resolve(`${viewer}/package.json`);
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
    return { folder: path.dirname(file), version };
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
  return reply(Buffer.from(html), { 'Content-Type': 'text/html; charset=utf-8' });
}

function reply(text: Uint8Array, headers: Readonly<Record<string, string>>): Content {
  const safety = {
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  };
  return { status: 200, body: {}, text, headers: { ...headers, ...safety } };
}
