import { readFileSync } from 'node:fs';
import { defineConfig } from 'rolldown';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

/**
 * Parts of libraries that are loaded at start and never used, and take longer to load than the rest of them.
 * - undici's HTTP/2 half, with node:http2: the client offers HTTP/1.1 alone when it opens a connection.
 * - conf's schema validation, with ajv: the settings are checked by hand, and conf is given no schema.
 * - commander's executable subcommands, with node:child_process: every command of ours is a function.
 */
const unused = [
  {
    importer: /[\\/]undici[\\/]lib[\\/]dispatcher[\\/]/,
    source: './client-h2.js',
    code: 'module.exports = () => {};',
  },
  {
    importer: /[\\/]commander[\\/]lib[\\/]command\.js$/,
    source: 'node:child_process',
    code: 'module.exports = {};',
  },
  {
    importer: /[\\/]conf[\\/]dist[\\/]source[\\/]index\.js$/,
    source: 'ajv/dist/2020.js',
    code: 'export const Ajv2020 = null;',
  },
  {
    importer: /[\\/]conf[\\/]dist[\\/]source[\\/]index\.js$/,
    source: 'ajv-formats',
    code: 'export default null;',
  },
];

const withoutUnused = {
  name: 'without-unused',
  resolveId(source, importer = '') {
    const index = unused.findIndex((part) => part.source === source && part.importer.test(importer));
    return index === -1 ? null : `\0unused-${index}`;
  },
  load: (id) => (id.startsWith('\0unused-') ? unused[Number(id.slice('\0unused-'.length))].code : null),
};

// CommonJS, one chunk for each command: in ES modules, importing node:http alone costs as much as Node's own start.
export default defineConfig({
  input: { storectl: 'src/cli/entry.ts' },
  platform: 'node',
  external: [/^node:/, 'libsql', 'pg'],
  plugins: [withoutUnused],
  transform: { target: 'node20', define: { STORECTL_VERSION: JSON.stringify(version) } },
  output: {
    dir: 'dist',
    format: 'cjs',
    cleanDir: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
  },
});
