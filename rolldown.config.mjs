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
    file: /[\\/]undici[\\/]lib[\\/]dispatcher[\\/]client\.js$/,
    load: "require('./client-h2.js')",
    instead: '() => {}',
  },
  {
    file: /[\\/]commander[\\/]lib[\\/]command\.js$/,
    load: "require('node:child_process')",
    instead: '{}',
  },
  {
    file: /[\\/]conf[\\/]dist[\\/]source[\\/]index\.js$/,
    load: "import { Ajv2020 as Ajv } from 'ajv/dist/2020.js';",
    instead: 'const Ajv = null;',
  },
  {
    file: /[\\/]conf[\\/]dist[\\/]source[\\/]index\.js$/,
    load: "import ajvFormatsModule from 'ajv-formats';",
    instead: 'const ajvFormatsModule = null;',
  },
];

const withoutUnused = {
  name: 'without-unused',
  transform(code, id) {
    return unused
      .filter(({ file }) => file.test(id))
      .reduce((text, { load, instead }) => {
        if (!text.includes(load)) throw new Error(`${id} no longer loads ${load}: see rolldown.config.mjs`);
        return text.replace(load, instead);
      }, code);
  },
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
