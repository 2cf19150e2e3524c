import { readFileSync } from 'node:fs';
import { defineConfig } from 'rolldown';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

/**
 * undici loads its HTTP/2 half, and node:http2 with it, at start. The client offers HTTP/1.1 alone when it opens a
 * connection, so HTTP/2 is never negotiated and that half is never called.
 */
const withoutHttp2 = {
  name: 'without-http2',
  resolveId(source, importer) {
    const isUndici = /[\\/]undici[\\/]lib[\\/]dispatcher[\\/]/.test(importer ?? '');
    return isUndici && source === './client-h2.js' ? '\0undici-http2' : null;
  },
  load: (id) =>
    id === '\0undici-http2'
      ? "module.exports = () => { throw new Error('HTTP/2 is left out of this build'); };"
      : null,
};

// CommonJS, one chunk for each command: in ES modules, importing node:http alone costs as much as Node's own start.
export default defineConfig({
  input: { storectl: 'src/cli/entry.ts' },
  platform: 'node',
  external: [/^node:/, 'libsql', 'pg'],
  plugins: [withoutHttp2],
  transform: { target: 'node20', define: { STORECTL_VERSION: JSON.stringify(version) } },
  output: {
    dir: 'dist',
    format: 'cjs',
    cleanDir: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
  },
});
