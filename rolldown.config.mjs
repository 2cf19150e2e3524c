import { readFileSync } from 'node:fs';
import { defineConfig } from 'rolldown';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

// CommonJS, one chunk for each command: in ES modules, importing node:http alone costs as much as Node's own start.
export default defineConfig({
  input: { storectl: 'src/cli/entry.ts' },
  platform: 'node',
  external: [/^node:/, 'libsql', 'pg'],
  transform: { target: 'node20', define: { STORECTL_VERSION: JSON.stringify(version) } },
  output: {
    dir: 'dist',
    format: 'cjs',
    cleanDir: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
  },
});
