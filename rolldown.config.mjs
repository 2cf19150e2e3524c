import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'rolldown';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

/**
 * Modules that libraries load and storectl never calls. A stub takes their place, as the libraries write their names.
 * - undici's HTTP/2 client, with node:http2: the transport offers HTTP/1.1 alone.
 * - undici's way to open connections: the transport opens them.
 * - undici's forms, with half of fetch: bodies are texts here.
 * - conf's schema validation: conf is given no schema.
 * - atomically's cleanup after a signal: it would end the process before a command can report the outcome of its request.
 */
const unusedModules = [
  './client-h2.js',
  '../core/connect.js',
  '../web/fetch/body.js',
  'ajv/dist/2020.js',
  'ajv-formats',
  'when-exit',
];
const fileIn = (name) => fileURLToPath(new URL(name, import.meta.url));
const stub = fileIn('scripts/unused-module.cjs');
const alias = Object.fromEntries(unusedModules.map((name) => [name, stub]));

/** Options of every bundle of the source. */
export const shared = {
  platform: 'node',
  external: [/^node:/, /^libsql(?:\/|$)/, 'pg'],
  transform: { target: 'node20', define: { STORECTL_VERSION: JSON.stringify(version) } },
};
const output = {
  dir: 'dist',
  format: 'cjs',
  entryFileNames: '[name].js',
  dynamicImportInCjs: false,
  // Comments for editors are a third of the text, which the parser would have to skip at every start.
  comments: { legal: true, annotation: false, jsdoc: false },
};

/**
 * The service and the package of `storectl mcp` are bundles of their own. In one bundle, every command would load the parts
 * of zod that only they need. The names are relative to the chunks of the commands, the only ones that import them.
 */
const apart = {
  name: 'apart',
  resolveId: {
    filter: { id: /\/(service\/index|sdk)\.ts$/ },
    handler: (id) => ({ id: id.endsWith('sdk.ts') ? '../mcp-sdk.js' : '../service.js', external: true }),
  },
};

/** The validator of JSON schemas that the package brings is half of it. The commands check their input themselves. */
const unusedInSdk = '@modelcontextprotocol/server/_shims';

/**
 * The files that a start opens, in this order, each with the modules that it loads and everything that they import. A
 * module is in the first stage that needs it; what no stage needs is split by command. Without stages a command
 * opens dozens of files, of which many are tiny, and takes longer: see "What makes it start fast" in bench/README.md.
 */
const stages = {
  storectl: ['src/cli/entry.ts'],
  complete: ['src/cli/completion/complete.ts'],
  ids: ['src/cli/completion/ids.ts'],
  start: ['src/cli/main.ts'],
  operation: [
    'src/cli/command/ui.ts',
    'src/cli/command/session.ts',
    'src/cli/command/global-flags.ts',
    'src/cli/operation/operation-command.ts',
    'src/contract/fields.ts',
  ],
  client: ['src/client/client.ts'],
  history: ['src/history/changes/change.ts', 'src/history/history.ts', 'src/client/idempotency-key.ts'],
  undici: ['node_modules/undici/lib/dispatcher/client.js'],
};

const stageOfModule = new Map();

function stageOf(id, modules) {
  if (stageOfModule.size === 0) findStages(modules);
  return stageOfModule.get(id) ?? null;
}

function findStages(modules) {
  for (const [stage, roots] of Object.entries(stages)) {
    const found = roots.map(fileIn);
    for (const module of found) {
      if (stageOfModule.has(module)) continue;
      stageOfModule.set(module, stage);
      const info = modules.getModuleInfo(module);
      if (info === null) throw new Error(`rolldown.config.mjs names a module that is not there: ${module}`);
      found.push(...info.importedIds);
    }
  }
}

/** What a browser runs for `/docs` of the service. RapiDoc is taken as source, so that its parser stays out of the bundle. */
const apiViewer = {
  input: { 'api-viewer': 'scripts/api-viewer/viewer.mjs' },
  platform: 'browser',
  resolve: {
    alias: {
      '~': fileIn('node_modules/rapidoc/src'),
      '@apitools/openapi-parser': fileIn('scripts/api-viewer/prepare-document.mjs'),
    },
  },
  transform: { inject: { Buffer: ['buffer/', 'Buffer'] } },
  output: { dir: 'dist', format: 'es', minify: true, codeSplitting: false },
};

/** What only the program may change about its process: a script that imports the library keeps V8's own flags. */
const program = { ...shared.transform, define: { ...shared.transform.define, STORECTL_TUNES_V8: 'true' } };

// CommonJS, one chunk for each command: in ES modules, importing node:http alone costs as much as Node's own start.
export default defineConfig([
  {
    ...shared,
    transform: program,
    input: { storectl: 'src/cli/entry.ts' },
    // Modules that the entry shares with other chunks stay in its file.
    preserveEntrySignatures: 'allow-extension',
    plugins: [apart],
    resolve: { alias },
    output: {
      ...output,
      cleanDir: true,
      entryFileNames: 'chunks/[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [{ name: stageOf, debugName: 'stages' }],
      },
    },
  },
  {
    ...shared,
    input: { client: 'src/library/client.ts', history: 'src/library/history.ts' },
    resolve: { alias },
    output: { ...output, dir: 'dist/library', chunkFileNames: '[name]-[hash].js' },
  },
  {
    ...shared,
    input: { service: 'src/service/index.ts', 'service-worker': 'src/service/writer-thread.ts' },
    output: { ...output, chunkFileNames: 'service-chunks/[name]-[hash].js' },
  },
  {
    ...shared,
    input: { 'mcp-sdk': 'src/commands/mcp/sdk.ts' },
    resolve: { alias: { [unusedInSdk]: stub } },
    output: { ...output, codeSplitting: false },
  },
  apiViewer,
]);
