import { additionsByMethod, operationsByMethod } from '../../src/contract/operations/operations.ts';

/** What the files of a layer may import besides their own layer. */
export const layers: Readonly<Record<string, readonly string[]>> = {
  base: [],
  contract: ['base'],
  client: ['contract', 'base'],
  history: ['client', 'contract', 'base'],
  library: ['history', 'client', 'contract', 'base'],
  cli: ['history', 'client', 'contract', 'base'],
  commands: ['cli', 'history', 'client', 'contract', 'base'],
  service: ['contract', 'base'],
};

/** Imports against the direction that are allowed. */
export const exceptions: readonly { from: RegExp; to: RegExp; onDemand: boolean }[] = [
  { from: /^src\/cli\/program\/command-tree\.ts$/, to: /^src\/commands\//, onDemand: true },
  { from: /^src\/cli\/command\/demo-service\.ts$/, to: /^src\/service\/index\.ts$/, onDemand: true },
  { from: /^src\/commands\/service\//, to: /^src\/service\/index\.ts$/, onDemand: false },
  { from: /^src\/commands\/demo\//, to: /^src\/service\/index\.ts$/, onDemand: false },
];

/** What a noun offers to commands of others. */
export const offered = /^src\/commands\/\w+\/for-others\.ts$/;

/** Only these make sentences of failures: `main`, the results of a batch, questions, and the MCP server. */
export const failureText = {
  file: 'src/cli/output/failure-text.ts',
  importers: [
    'src/cli/main.ts',
    'src/cli/batch/item-result.ts',
    'src/cli/operation/questions/ask-missing.ts',
    'src/commands/mcp/call-tool.ts',
    'src/commands/service/start/start.ts',
  ],
};

/** Only these put printable texts together: elsewhere a text is a value of a template, which escapes it. */
export const draws = /^src\/cli\/(core\/sanitize|config\/phrase|output\/(tables|columns))\.ts$/;

/** What prints and what asks must not reach the store, its settings or the history. */
export const session = { file: 'src/cli/command/session.ts', notFrom: /^src\/cli\/(output|prompts)\// };

const operationBase = ['core', 'config', 'output', 'command', 'completion', 'input', 'prompts'];

/** What the folders of a layer may import of each other. Files at the top of a layer may import all of it. */
export const folders: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  cli: {
    core: [],
    config: ['core'],
    output: ['core', 'config'],
    command: ['core', 'config', 'output'],
    completion: ['core', 'config', 'output'],
    input: ['core', 'command'],
    prompts: ['core', 'config', 'output', 'command'],
    'operation/call': operationBase,
    'operation/result': [...operationBase, 'operation/call'],
    'operation/send': [...operationBase, 'operation/call', 'operation/result'],
    'operation/lists': [
      ...operationBase,
      'operation',
      'operation/call',
      'operation/result',
      'operation/send',
    ],
    'operation/questions': [...operationBase, 'operation/call', 'operation/result', 'operation/send'],
    operation: [
      ...operationBase,
      'operation/call',
      'operation/result',
      'operation/send',
      'operation/questions',
    ],
    batch: [...operationBase, 'operation/call', 'operation/result', 'operation/send'],
    program: ['core', 'config', 'output', 'command', 'completion', 'prompts'],
  },
  service: {
    model: [],
    storage: ['model'],
    operations: ['model', 'storage'],
    http: ['model', 'storage', 'operations'],
    metrics: ['storage', 'http'],
    delivery: ['model', 'storage'],
    admin: ['model', 'storage', 'operations', 'delivery'],
  },
};

/**
 * Exported names that more than one file may have. Any other name means one thing in the whole source. An operation and the
 * function of the service for it have one name, and the library has the names that its users know.
 */
export const sharedNames: readonly { name: RegExp; files: RegExp }[] = [
  { name: /^command$/, files: /^src\/commands\// },
  { name: /^topic$/, files: /^src\/cli\/program\/topics\// },
  {
    name: new RegExp(`^(${Object.keys({ ...operationsByMethod, ...additionsByMethod }).join('|')})$`),
    files: /^src\/(contract\/operations|service)\//,
  },
  { name: /^/, files: /^src\/library\/api\.ts$/ },
];

/** `commands` has one entry for each noun, so it may have more. */
export const maxEntries = 14;

/** The files that may import a package. No file may import a package that is not listed. */
export const packages: Readonly<Record<string, RegExp>> = {
  zod: /^src\/(contract|client|history|cli|service|commands\/(api|mcp))\//,
  '@modelcontextprotocol/server': /^src\/commands\/mcp\/sdk\.ts$/,
  undici: /^src\/client\//,
  commander: /^src\/cli\/(main|program\/(parser|help))\.ts$/,
  '@inquirer/core': /^src\/cli\/prompts\/views\//,
  conf: /^src\/cli\/config\/write-settings\.ts$/,
  chalk: /^src\/cli\/output\/style\.ts$/,
  'cli-table3': /^src\/cli\/output\/tables\.ts$/,
  'string-width': /^src\/cli\/output\/wrap\.ts$/,
  'wrap-ansi': /^src\/cli\/output\/wrap\.ts$/,
  'csv-parse': /^src\/commands\/disputes\/bulk\/csv\.ts$/,
  'smol-toml': /^src\/cli\/core\/document\/toml-document\.ts$/,
  yaml: /^src\/(cli|commands)\//,
  kysely: /^src\/service\/storage\//,
  libsql: /^src\/service\/storage\//,
  pg: /^src\/service\/storage\/postgres\//,
  'prom-client': /^src\/service\/metrics\/metrics\.ts$/,
};
