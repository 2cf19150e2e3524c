import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'rolldown';
import { ERROR, TYPE } from 'undici/lib/llhttp/constants.js';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

/**
 * Parts of libraries that are loaded at start and never used, and take longer to load than the rest of them: what loads
 * them, by its file, and what stands there instead.
 * - undici's HTTP/2 half, with node:http2: the client offers HTTP/1.1 alone when it opens a connection.
 * - undici's checks for Node's own HTTP messages, with node:http, and its forms, with half of fetch: bodies are texts
 *   here, and the transport says how long headers may be.
 * - undici's own way to open connections: the transport opens them.
 * - Tables of HTTP that undici's parser does not look at, made when they are loaded.
 * - Node's assertions, which undici needs for nothing but to throw.
 * - undici's tree of the header names that it knows: without one it makes a name lower-case letter by letter.
 * - conf's schema validation, with ajv: the settings are checked by hand, and conf is given no schema.
 * - atomically's clearing up when a signal ends the process, with when-exit: it would end it before a command has said what
 *   became of its request. conf writes in one go, and nothing is left to clear up.
 * - commander's executable subcommands, with node:child_process: every command of ours is a function.
 */
const assert = { "require('node:assert')": '(holds, why) => { if (!holds) throw new Error(why); }' };
const unused = {
  'undici/lib/core/request.js': assert,
  'undici/lib/core/tree.js': { 'tree.insert(key, key)': '' },
  'undici/lib/dispatcher/client.js': {
    ...assert,
    "require('./client-h2.js')": '() => {}',
    "require('node:http')": '{}',
    "require('../core/connect.js')": 'null',
  },
  'undici/lib/dispatcher/client-h1.js': {
    ...assert,
    "require('../web/fetch/body.js')": '{}',
    "require('../llhttp/constants.js')": JSON.stringify({ ERROR, TYPE }),
  },
  'undici/lib/core/util.js': { ...assert, "require('node:http')": '{}' },
  'atomically/dist/utils/temp.js': { "import whenExit from 'when-exit';": 'const whenExit = () => {};' },
  'commander/lib/command.js': { "require('node:child_process')": '{}' },
  'conf/dist/source/index.js': {
    "import { Ajv2020 as Ajv } from 'ajv/dist/2020.js';": 'const Ajv = null;',
    "import ajvFormatsModule from 'ajv-formats';": 'const ajvFormatsModule = null;',
  },
};

const withoutUnused = {
  name: 'without-unused',
  transform(code, id) {
    const [, file = ''] = id.replaceAll('\\', '/').split('/node_modules/');
    return Object.entries(unused[file] ?? {}).reduce((text, [load, instead]) => {
      if (!text.includes(load)) throw new Error(`${id} no longer loads ${load}: see rolldown.config.mjs`);
      return text.replace(load, instead);
    }, code);
  },
};

/** What every bundle of the source is made with. */
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
  // Comments for editors are a third of what the parser would have to skip at every start.
  comments: { legal: true, annotation: false, jsdoc: false },
};

/**
 * The service is a bundle of its own: in one bundle with the command line, whatever the two share of a library is what
 * both need of it, and every command would load the service's part.
 */
const serviceApart = {
  name: 'service-apart',
  resolveId: {
    filter: { id: /\/service\/index\.ts$/ },
    // As seen from the chunks of the commands, the only ones that import it.
    handler: () => ({ id: '../service.js', external: true }),
  },
};

/**
 * What a start goes through, in this order: each stage is one file, because opening a file costs more than reading a
 * little too much of one. A module is in the first stage that needs it at once; what no stage needs is split by command.
 */
const stages = {
  storectl: ['src/cli/entry.ts'],
  complete: ['src/cli/completion/complete.ts'],
  start: ['src/cli/main.ts'],
  operation: [
    'src/cli/command/context.ts',
    'src/cli/command/global-flags.ts',
    'src/cli/operation/define-operation.ts',
    'src/contract/fields.ts',
  ],
  client: ['src/client/client.ts'],
  history: [
    'src/history/sending/execute.ts',
    'src/history/journal.ts',
    'src/cli/operation/run/idempotency-key.ts',
  ],
  undici: ['node_modules/undici/lib/dispatcher/client.js'],
};

const stageOfModule = new Map();

function stageOf(id, modules) {
  if (stageOfModule.size === 0) {
    for (const [stage, roots] of Object.entries(stages)) {
      const found = roots.map((root) => fileURLToPath(new URL(root, import.meta.url)));
      for (const module of found) {
        if (stageOfModule.has(module)) continue;
        stageOfModule.set(module, stage);
        found.push(...(modules.getModuleInfo(module)?.importedIds ?? []));
      }
    }
  }
  return stageOfModule.get(id) ?? null;
}

// CommonJS, one chunk for each command: in ES modules, importing node:http alone costs as much as Node's own start.
export default defineConfig([
  {
    ...shared,
    input: { storectl: 'src/cli/entry.ts' },
    // What the entry shares with the chunks stays in its file.
    preserveEntrySignatures: 'allow-extension',
    plugins: [withoutUnused, serviceApart],
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
    input: { service: 'src/service/index.ts' },
    output: { ...output, chunkFileNames: 'service-chunks/[name]-[hash].js' },
  },
]);
