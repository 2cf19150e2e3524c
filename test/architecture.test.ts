import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { operations } from '../src/contract/operations.ts';
import {
  circlesOf,
  type Import,
  importsOf,
  readSources,
  type SourceFile,
  withoutComments,
} from './helpers/imports.ts';

const root = path.join(import.meta.dirname, '..');

/** What the files of a layer may import besides their own layer. */
const layers: Readonly<Record<string, readonly string[]>> = {
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
const exceptions: readonly { from: RegExp; to: RegExp; onDemand: boolean }[] = [
  { from: /^src\/cli\/program\/command-tree\.ts$/, to: /^src\/commands\//, onDemand: true },
  { from: /^src\/cli\/command\/demo-service\.ts$/, to: /^src\/service\/index\.ts$/, onDemand: true },
  { from: /^src\/commands\/service\//, to: /^src\/service\/index\.ts$/, onDemand: false },
  { from: /^src\/commands\/demo\//, to: /^src\/service\/index\.ts$/, onDemand: false },
];

/** What a noun offers to commands of others. */
const offered = /^src\/commands\/\w+\/for-others\.ts$/;

/** Only these make sentences of failures: `main`, the results of a batch, questions, and the MCP server. */
const failureText = {
  file: 'src/cli/output/failure-text.ts',
  importers: [
    'src/cli/main.ts',
    'src/cli/batch/item-result.ts',
    'src/cli/operation/questions/ask-missing.ts',
    'src/commands/mcp/call-tool.ts',
  ],
};

/** Only these put printable texts together: elsewhere a text is a value of a template, which escapes it. */
const draws = /^src\/cli\/(core\/sanitize|config\/phrase|output\/(tables|columns))\.ts$/;

/** What prints and what asks must not reach the store, its settings or the history. */
const session = { file: 'src/cli/command/session.ts', notFrom: /^src\/cli\/(output|prompts)\// };

const operationBase = ['core', 'config', 'output', 'command', 'completion', 'input', 'prompts'];

/** What the folders of a layer may import of each other. Files at the top of a layer may import all of it. */
const folders: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
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

/** Layers whose folders must not import each other in a circle. */
const layersWithoutFolderCircles = ['base', 'history', 'library', 'cli', 'service'];

/** `commands` has one entry for each noun, so it may have more. */
const maxEntries = 14;

/** The files that may import a package. No file may import a package that is not listed. */
const packages: Readonly<Record<string, RegExp>> = {
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

/** A declaration file names the package that it describes without importing it. */
const isDeclaration = (file: string) => file.endsWith('.d.ts');

function layerOf(file: string): string {
  return file.split('/')[1] ?? '';
}

function packageOf(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}

/** What is wrong with an import, or null. */
function violationOf({ from, target, loaded }: Import, files: ReadonlySet<string>): string | null {
  if (target.startsWith('node:')) return null;
  if (!target.startsWith('src/')) {
    if (isDeclaration(from)) return null;
    return packages[packageOf(target)]?.test(from) ? null : `${from} must not import the package ${target}`;
  }
  if (target === failureText.file && !failureText.importers.includes(from))
    return `${from} must not make the text of a failure`;
  if (target === session.file && session.notFrom.test(from)) return `${from} must not use the session`;
  if (!files.has(target)) return `${from} imports ${target}, which does not exist`;
  const exception = exceptions.find((candidate) => candidate.from.test(from) && candidate.to.test(target));
  if (exception !== undefined) {
    return exception.onDemand && loaded ? `${from} must import ${target} on demand` : null;
  }
  const [own, other] = [layerOf(from), layerOf(target)];
  if (own !== other) {
    return layers[own]?.includes(other) ? null : `${from} (${own}) must not import ${target} (${other})`;
  }
  const nounOf = (file: string) => file.split('/')[2];
  if (own === 'commands' && nounOf(from) !== nounOf(target) && !offered.test(target)) {
    return `${from} must not import the command folder of ${target}`;
  }
  return null;
}

/** The folder of a file below its layer: `operation/send`, or an empty string for a file of the layer itself. */
function folderOf(file: string): string {
  return path.posix.relative(`src/${layerOf(file)}`, path.posix.dirname(file));
}

/** What is wrong with an import from a folder of a layer to another, or null. */
function folderViolationOf({ from, target }: Import): string | null {
  const layer = layerOf(from);
  const allowed = folders[layer];
  if (allowed === undefined || layerOf(target) !== layer || !target.startsWith('src/')) return null;
  const listed = (folder: string): string | undefined =>
    folder in allowed || !folder.includes('/') ? folder : listed(path.posix.dirname(folder));
  const [own = '', other = ''] = [listed(folderOf(from)), listed(folderOf(target))];
  if (own === '' || own === other || allowed[own]?.includes(other)) return null;
  return `${from} (${own}) must not import ${target} (${other})`;
}

/** Every circle of files or folders, with its imports: of values and types, and on demand. */
function findCircles(imports: readonly Import[]): string[] {
  const own = imports.filter(({ from, target }) => target.startsWith('src/') && target !== from);
  const betweenFolders = own.filter(
    ({ from, target }) =>
      layerOf(from) === layerOf(target) &&
      layersWithoutFolderCircles.includes(layerOf(from)) &&
      folderOf(from) !== folderOf(target),
  );
  const describeCircle = (what: string, circle: readonly string[], nameOf: (file: string) => string) => {
    const steps = own
      .filter(({ from, target }) => nameOf(from) !== nameOf(target))
      .filter(({ from, target }) => circle.includes(nameOf(from)) && circle.includes(nameOf(target)))
      .map(({ from, target }) => `${from} -> ${target}`);
    return `circle of ${what}: ${[...new Set(steps)].join(', ')}`;
  };
  const fileCircles = circlesOf(graphOf(own, (file) => file));
  const folderCircles = circlesOf(graphOf(betweenFolders, path.posix.dirname));
  return [
    ...fileCircles.map((circle) => describeCircle('files', circle, (file) => file)),
    ...folderCircles.map((circle) => describeCircle('folders', circle, path.posix.dirname)),
  ];
}

function graphOf(imports: readonly Import[], nameOf: (file: string) => string): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>();
  for (const { from, target } of imports) {
    graph.set(nameOf(from), (graph.get(nameOf(from)) ?? new Set()).add(nameOf(target)));
  }
  return graph;
}

/** The folders of `src` with too many entries. */
function findFullFolders(files: readonly SourceFile[]): string[] {
  const entries = new Map<string, Set<string>>();
  for (const { file } of files) {
    for (let entry = file; path.posix.dirname(entry) !== '.'; entry = path.posix.dirname(entry)) {
      const folder = path.posix.dirname(entry);
      entries.set(folder, (entries.get(folder) ?? new Set()).add(entry));
    }
  }
  return [...entries]
    .filter(([folder, { size }]) => size > maxEntries && folder !== 'src/commands')
    .map(([folder, { size }]) => `${folder} has ${size} entries, more than ${maxEntries}`);
}

/** What is particular to an operation is data in one place of the history. */
function namedOperations(file: string, code: string): string[] {
  if (!file.startsWith('src/history/') || /^src\/history\/(operation-rules\.ts|objects\/)/.test(file))
    return [];
  return operations
    .filter(({ id }) => new RegExp(`['"\`]${id.replace('.', '\\.')}['"\`]`).test(code))
    .map(({ id }) => `${file} names the operation ${id}`);
}

/** Whether the command line takes a message of an error apart. The parser's are translated where they are caught. */
function readsProse(file: string, code: string): boolean {
  if (!/^src\/(cli|commands)\//.test(file) || file === 'src/cli/main.ts') return false;
  return /\.(message|hint|what)\.(replace|replaceAll|split|match|search|startsWith|endsWith|includes|slice)\(/.test(
    code,
  );
}

/** Every violation in `files`, one line each. */
function findViolations(files: readonly SourceFile[]): string[] {
  const names = new Set(files.map(({ file }) => file));
  const imports = files.flatMap(importsOf);
  const structure = [
    ...imports.map(folderViolationOf).filter((violation) => violation !== null),
    ...findCircles(imports),
    ...findFullFolders(files),
  ];
  const perFile = files.flatMap((source) => {
    const { file } = source;
    const code = withoutComments(source.text);
    const lines = source.text.split('\n').length - 1;
    return [
      ...importsOf(source).map((found) => violationOf(found, names)),
      /\b(drawn\(|as Printable\b)/.test(code) && !draws.test(file)
        ? `${file} declares a text printable`
        : null,
      /\bprocess\.exit\b/.test(code) ? `${file} ends the process` : null,
      /\bconsole\s*\./.test(code) ? `${file} writes to the console` : null,
      /\bprocess\.(env|argv|stdin|stdout|stderr)\b/.test(code) &&
      !/^src\/(cli\/(entry|core\/process-io)|library\/client)\.ts$/.test(file)
        ? `${file} reads the process instead of what it is given`
        : null,
      lines > 300 ? `${file} has ${lines} lines` : null,
      ...namedOperations(file, code),
      ...(readsProse(file, code) ? [`${file} takes a message apart`] : []),
    ].filter((violation) => violation !== null);
  });
  return [...perFile, ...structure];
}

test('the source keeps to the architecture', () => {
  const sources = readSources(root, 'src');

  expect(findViolations(sources)).toEqual([]);
  expect(new Set(sources.map(({ file }) => layerOf(file)))).toEqual(new Set(Object.keys(layers)));
  const imported = sources.flatMap(importsOf).filter(({ target }) => target === failureText.file);
  expect(new Set(imported.map(({ from }) => from))).toEqual(new Set(failureText.importers));
});

test('a change loads what draws tables, asks questions or writes settings on demand', () => {
  const imports = readSources(root, 'src')
    .flatMap(importsOf)
    .filter(({ loaded }) => loaded);
  // A decision shows the dispute before it is confirmed.
  const changes = operations.filter(({ id, class: own }) => own !== 'read' && id !== 'disputes.decide');
  const files = changes.map(
    ({ id }) => `src/commands/${id.replace('.', '/').replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}.ts`,
  );
  const found = new Set([...files, 'src/cli/main.ts']);
  for (const file of found) for (const { from, target } of imports) if (from === file) found.add(target);

  expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  const costly = ['string-width', 'wrap-ansi', 'cli-table3', 'chalk', '@inquirer/core', 'conf', 'undici'];
  expect(costly.filter((name) => found.has(name))).toEqual([]);
  expect(found).toContain('commander');
});

test('every import statement of the source is seen by the check', () => {
  const sources = readSources(root, 'src').filter(({ file }) => !isDeclaration(file));
  const seen = sources.flatMap(importsOf).length;
  const written = sources
    .map(({ text }) => withoutComments(text))
    .join('\n')
    .match(/\bfrom '[^']+';|^import '[^']+';|\bimport\('[^']+'\)/gm);

  expect(seen).toBe(written?.length);
  expect(seen).toBeGreaterThan(300);
});

test('CONTRIBUTING.md names every folder of the source, and only files and folders that exist', () => {
  const text = readFileSync(path.join(root, 'CONTRIBUTING.md'), 'utf8');
  const rows = text.split('\n').filter((line) => line.startsWith('| `'));
  const isNamed = (folder: string): boolean => {
    const row = (name: string) => rows.find((line) => line.startsWith(`| \`${name}/\` |`));
    if (row(folder) !== undefined) return true;
    const name = path.posix.basename(folder);
    return row(path.posix.dirname(folder))?.includes(`\`${name}/\``) ?? false;
  };
  const folders = new Set(readSources(root, 'src').map(({ file }) => path.posix.dirname(file)));
  const unnamed = [...folders].filter(
    (folder) =>
      !/^src(\/(cli|service))?$/.test(folder) && !folder.startsWith('src/commands/') && !isNamed(folder),
  );
  const links = [...text.matchAll(/\]\(([^)#:]+)\)/g)].map(([, target = '']) => target);
  const paths = [...text.matchAll(/`((?:src|test|bin|\.github)\/[\w./-]*)`/g)].map(
    ([, target = '']) => target,
  );

  expect(unnamed).toEqual([]);
  expect([...links, ...paths].filter((target) => !existsSync(path.join(root, target)))).toEqual([]);
  expect(paths.length).toBeGreaterThan(50);
});

test('package-lock.json names no registry', () => {
  const lock = readFileSync(path.join(root, 'package-lock.json'), 'utf8');

  expect(lock).not.toContain('"resolved"');
  expect(lock).not.toContain('registry.');
});

describe('the check itself finds', () => {
  const good: readonly SourceFile[] = [
    { file: 'src/contract/store.ts', text: `import * as z from 'zod';` },
    { file: 'src/client/client.ts', text: `import { store } from '../contract/store.ts';` },
    { file: 'src/history/journal.ts', text: `import { call } from '../client/client.ts';` },
    { file: 'src/cli/main.ts', text: `import { openHistory } from '../history/journal.ts';` },
    {
      file: 'src/cli/program/command-tree.ts',
      text: `const load = () => import('../../commands/backup/create.ts');`,
    },
    {
      file: 'src/cli/command/demo-service.ts',
      text: `import type { Example } from '../../service/index.ts';`,
    },
    { file: 'src/commands/backup/create.ts', text: `import { main } from '../../cli/main.ts';` },
    {
      file: 'src/commands/service/start/start.ts',
      text: `import { listen } from '../../../service/index.ts';`,
    },
    { file: 'src/service/index.ts', text: `import { store } from '../contract/store.ts';` },
    { file: 'src/commands/backup/for-others.ts', text: `export { command } from './create.ts';` },
    { file: 'src/commands/undo.ts', text: `import { command } from './backup/for-others.ts';` },
  ];

  test('nothing in an example that is right', () => {
    expect(findViolations(good)).toEqual([]);
  });

  test.each([
    ['src/base/json.ts', `import { store } from '../contract/store.ts';`],
    ['src/contract/blog.ts', `import type { call } from '../client/client.ts';`],
    ['src/client/call.ts', `const journal = await import('../history/journal.ts');`],
    ['src/history/record.ts', `import {\n  main,\n  other,\n} from '../cli/main.ts';`],
    ['src/cli/output.ts', `import '../commands/backup/create.ts';`],
    ['src/cli/program/command-tree.ts', `import { command } from '../../commands/backup/create.ts';`],
    ['src/cli/command/demo-service.ts', `import { listen } from '../../service/index.ts';`],
    ['src/cli/main.ts', `const service = await import('../service/index.ts');`],
    ['src/commands/backup/restore.ts', `import { listen } from '../../service/index.ts';`],
    ['src/commands/blog/create.ts', `import { command } from '../backup/create.ts';`],
    ['src/commands/undo.ts', `const backup = await import('./backup/create.ts');`],
    ['src/service/app.ts', `import { call } from '../client/client.ts';`],
    ['src/commands/service/emit.ts', `import { db } from '../../../service/storage/schema.ts';`],
    ['src/commands/blog/create.ts', `import { request } from 'undici';`],
    ['src/cli/result.ts', `const table = await import('cli-table3');`],
    ['src/cli/input.ts', `import left from 'left-pad';`],
    ['src/cli/input.ts', `if (wrong) process.exit(1);`],
    ['src/service/log.ts', `console.error('oh');`],
    ['src/client/proxy.ts', `const proxy = process.env.HTTPS_PROXY;`],
    ['src/cli/operation/send/send-run.ts', `import { describeFailure } from '../../output/failure-text.ts';`],
    ['src/commands/backup/restore.ts', `import { describeFailure } from '../../cli/output/failure-text.ts';`],
    ['src/cli/prompts/editor.ts', `import { describeFailure } from '../output/failure-text.ts';`],
    ['src/cli/prompts/ask.ts', `import type { Session } from '../command/session.ts';`],
    ['src/history/changes/send.ts', `if (operation === 'blog.create') return;`],
    ['src/cli/batch/end-batch.ts', `const reason = error.message.replace('; nothing was sent', '');`],
    ['src/commands/resume/describe.ts', `if (failure.what.includes('timed out')) return;`],
    ['src/cli/long.ts', 'const line = 1;\n'.repeat(301)],
  ])('%s: %s', (file, text) => {
    const others = good.filter((source) => source.file !== file);
    expect(findViolations([...others, { file, text }])).toEqual([expect.stringContaining(file)]);
  });

  test.each([
    ['types', `import type { B } from './b.ts';`],
    ['values', `import { b } from './b.ts';`],
    ['loading on demand', `const b = () => import('./b.ts');`],
  ])('a circle of files, by %s', (_, text) => {
    const circle = [
      { file: 'src/history/a.ts', text },
      { file: 'src/history/b.ts', text: `export { c } from './c.ts';` },
      { file: 'src/history/c.ts', text: `import { a } from './a.ts';` },
    ];

    expect(findViolations(circle)).toEqual([
      'circle of files: src/history/a.ts -> src/history/b.ts, src/history/b.ts -> src/history/c.ts, src/history/c.ts -> src/history/a.ts',
    ]);
  });

  test('a circle of folders, with the files that make it', () => {
    const circle = [
      { file: 'src/service/storage/core/query.ts', text: `import { run } from '../embedded/run.ts';` },
      { file: 'src/service/storage/embedded/run.ts', text: '' },
      { file: 'src/service/storage/embedded/open.ts', text: `import type { Row } from '../core/row.ts';` },
      { file: 'src/service/storage/core/row.ts', text: '' },
    ];

    expect(findViolations(circle)).toEqual([
      'circle of folders: src/service/storage/core/query.ts -> src/service/storage/embedded/run.ts, src/service/storage/embedded/open.ts -> src/service/storage/core/row.ts',
    ]);
  });

  test.each([
    ['cli/core', 'cli/output'],
    ['cli/operation/send', 'cli/operation/questions'],
    ['service/storage/core', 'service/admin'],
    ['service/operations', 'service/http'],
  ])('an import from %s to %s', (own, other) => {
    const files = [
      {
        file: `src/${own}/one.ts`,
        text: `import type { Two } from '${path.posix.relative(own, other)}/two.ts';`,
      },
      { file: `src/${other}/two.ts`, text: '' },
    ];

    expect(findViolations(files)).toEqual([
      expect.stringMatching(new RegExp(`^src/${own}/one.ts .* must not import src/${other}/two.ts`)),
    ]);
  });

  test('a folder with too many entries', () => {
    const files = Array.from({ length: 14 }, (_, index) => ({
      file: `src/client/file-${index}.ts`,
      text: '',
    }));

    expect(findViolations(files)).toEqual([]);
    expect(findViolations([...files, { file: 'src/client/deep/one.ts', text: '' }])).toEqual([
      'src/client has 15 entries, more than 14',
    ]);
  });
});
