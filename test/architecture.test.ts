import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

interface SourceFile {
  /** Below the root, with slashes: `src/cli/main.ts`. */
  readonly file: string;
  readonly text: string;
}

interface Import {
  readonly from: string;
  /** A path below the root for a file of ours, else the name of a package or built-in module. */
  readonly target: string;
  /** Needed when the importer is loaded: neither `import()` nor types alone. */
  readonly loaded: boolean;
}

const root = path.join(import.meta.dirname, '..');

/** What the files of a layer may import besides their own layer. */
const layers: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  client: ['contract'],
  history: ['client', 'contract'],
  cli: ['history', 'client', 'contract'],
  commands: ['cli', 'history', 'client', 'contract'],
  service: ['contract'],
};

/** What the folders of the service may import of each other. */
const serviceFolders: Readonly<Record<string, readonly string[]>> = {
  model: [],
  storage: ['model'],
  operations: ['storage', 'model'],
  http: ['operations', 'storage', 'model'],
  delivery: ['storage', 'model'],
  admin: ['delivery', 'operations', 'storage', 'model'],
};

/** Layers in which neither files nor folders may import each other in a circle. */
const withoutCircles = ['service'];

/** Imports against the direction, each where architecture.md wants it. */
const exceptions: readonly { from: RegExp; to: RegExp; onDemand: boolean }[] = [
  { from: /^src\/cli\/program\/command-tree\.ts$/, to: /^src\/commands\//, onDemand: true },
  { from: /^src\/cli\/command\/demo-service\.ts$/, to: /^src\/service\/index\.ts$/, onDemand: true },
  { from: /^src\/commands\/service\//, to: /^src\/service\/index\.ts$/, onDemand: false },
  { from: /^src\/commands\/demo\//, to: /^src\/service\/index\.ts$/, onDemand: false },
];

/** The files that may import a package. One that is not here may be imported by nobody. */
const packages: Readonly<Record<string, RegExp>> = {
  zod: /^src\/(contract|client|history|cli|service|commands\/api)\//,
  undici: /^src\/client\//,
  commander: /^src\/cli\/(main|program\/(parser|help))\.ts$/,
  '@inquirer/prompts': /^src\/cli\/prompts\/prompts\.ts$/,
  conf: /^src\/cli\/config\/profile-store\.ts$/,
  chalk: /^src\/cli\/output\/colors\.ts$/,
  'cli-table3': /^src\/cli\/output\/tables\.ts$/,
  yaml: /^src\/(cli|commands)\//,
  kysely: /^src\/service\/storage\//,
  libsql: /^src\/service\/storage\//,
  pg: /^src\/service\/storage\/postgres\//,
};

/** Where an ambient module says what a package is, its name is no import. */
const isDeclaration = (file: string) => file.endsWith('.d.ts');

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}

function importsOf({ file, text }: SourceFile): Import[] {
  const code = withoutComments(text);
  const statements = code.matchAll(
    /^\s*(?:import|export)\s+(?<what>type\s[^;'"]*?from\s*|[^;'"()]*?from\s*|)(['"])(?<name>[^'"]+)\2/gm,
  );
  const calls = code.matchAll(/\b(?:import|require)\(\s*(['"`])(?<name>[^'"`]+)\1/g);
  return [
    ...[...statements].map(({ groups }) => ({
      name: groups?.name ?? '',
      loaded: !/^type\s/.test(groups?.what ?? '') && !/^\{(\s*type\s[^,}]+,?)+\s*\}/.test(groups?.what ?? ''),
    })),
    ...[...calls].map(({ groups }) => ({ name: groups?.name ?? '', loaded: false })),
  ].map(({ name, loaded }) => ({
    from: file,
    target: name.startsWith('.') ? path.posix.join(path.posix.dirname(file), name) : name,
    loaded,
  }));
}

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
  if (!files.has(target)) return `${from} imports ${target}, which is no file`;
  const exception = exceptions.find((candidate) => candidate.from.test(from) && candidate.to.test(target));
  if (exception !== undefined) {
    return exception.onDemand && loaded ? `${from} must import ${target} on demand` : null;
  }
  const [own, other] = [layerOf(from), layerOf(target)];
  if (own !== other) {
    return layers[own]?.includes(other) ? null : `${from} (${own}) must not import ${target} (${other})`;
  }
  const nounOf = (file: string) => file.split('/')[2];
  if (own === 'commands' && nounOf(from) !== nounOf(target)) {
    return `${from} must not import the command folder of ${target}`;
  }
  const [folder, otherFolder] = [folderOf(from), folderOf(target)];
  if (own === 'service' && folder !== otherFolder && folder !== 'index.ts') {
    return serviceFolders[folder]?.includes(otherFolder)
      ? null
      : `${from} (${folder}) must not import ${target} (${otherFolder})`;
  }
  return null;
}

/** The folder within a layer. */
function folderOf(file: string): string {
  return file.split('/')[2] ?? '';
}

/** What imports itself by way of others, one line for each: of files, and of folders by `nameOf`. */
function findCircles(imports: readonly Import[], nameOf = (file: string) => file): string[] {
  const targets = new Map<string, Set<string>>();
  for (const { from, target } of imports) {
    const [name, other] = [nameOf(from), nameOf(target)];
    if (name !== other) targets.set(name, (targets.get(name) ?? new Set()).add(other));
  }
  const reach = (start: string) => {
    const seen = new Set<string>();
    const open = [...(targets.get(start) ?? [])];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (!seen.has(next)) open.push(...(targets.get(next) ?? []));
      seen.add(next);
    }
    return seen;
  };
  return [...targets.keys()].filter((name) => reach(name).has(name)).map((name) => `${name} is in a circle`);
}

/** Everything in `files` that goes against the architecture, one line each. */
function findViolations(files: readonly SourceFile[]): string[] {
  const names = new Set(files.map(({ file }) => file));
  const circular = files.filter(({ file }) => withoutCircles.includes(layerOf(file))).flatMap(importsOf);
  const ours = circular.filter(({ from, target }) => layerOf(from) === layerOf(target));
  const circles = [...findCircles(ours), ...findCircles(ours, path.posix.dirname)];
  const violations = files.flatMap((source) => {
    const { file } = source;
    const code = withoutComments(source.text);
    const lines = source.text.split('\n').length - 1;
    return [
      ...importsOf(source).map((found) => violationOf(found, names)),
      /\bprocess\.exit\b/.test(code) ? `${file} ends the process` : null,
      /\bconsole\s*\./.test(code) ? `${file} writes to the console` : null,
      /\bprocess\.(env|argv|stdin|stdout|stderr)\b/.test(code) &&
      !/^src\/cli\/(entry|core\/process-io)\.ts$/.test(file)
        ? `${file} reads the process instead of what it is given`
        : null,
      lines > 300 ? `${file} has ${lines} lines` : null,
    ].filter((violation) => violation !== null);
  });
  return [...violations, ...circles];
}

function readSources(): SourceFile[] {
  return readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({
      file: `src/${file.replaceAll('\\', '/')}`,
      text: readFileSync(path.join(root, 'src', file), 'utf8'),
    }));
}

test('the source keeps to the architecture', () => {
  const sources = readSources();

  expect(findViolations(sources)).toEqual([]);
  expect(new Set(sources.map(({ file }) => layerOf(file)))).toEqual(new Set(Object.keys(layers)));
});

test('every import statement of the source is seen by the check', () => {
  const sources = readSources().filter(({ file }) => !isDeclaration(file));
  const seen = sources.flatMap(importsOf).length;
  const written = sources
    .map(({ text }) => withoutComments(text))
    .join('\n')
    .match(/\bfrom '[^']+';|^import '[^']+';|\bimport\('[^']+'\)/gm);

  expect(seen).toBe(written?.length);
  expect(seen).toBeGreaterThan(300);
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
    { file: 'src/commands/service/start.ts', text: `import { listen } from '../../service/index.ts';` },
    { file: 'src/service/index.ts', text: `import { store } from '../contract/store.ts';` },
    { file: 'src/service/http/app.ts', text: `import { open } from '../operations/open.ts';` },
    { file: 'src/service/operations/open.ts', text: `import { query } from '../storage/core/query.ts';` },
    { file: 'src/service/admin/keys.ts', text: '' },
    { file: 'src/service/storage/core/query.ts', text: `export const query = 1;` },
  ];

  test('nothing in an example that is right', () => {
    expect(findViolations(good)).toEqual([]);
  });

  test.each([
    ['src/contract/blog.ts', `import { call } from '../client/client.ts';`],
    ['src/contract/blog.ts', `import type { call } from '../client/client.ts';`],
    ['src/client/call.ts', `export { openHistory } from '../history/journal.ts';`],
    ['src/client/call.ts', `const journal = await import('../history/journal.ts');`],
    ['src/history/record.ts', `import {\n  main,\n  other,\n} from '../cli/main.ts';`],
    ['src/cli/output.ts', `import '../commands/backup/create.ts';`],
    ['src/cli/program/command-tree.ts', `import { command } from '../../commands/backup/create.ts';`],
    ['src/cli/command/demo-service.ts', `import { listen } from '../../service/index.ts';`],
    ['src/cli/main.ts', `const service = await import('../service/index.ts');`],
    ['src/commands/backup/restore.ts', `import { listen } from '../../service/index.ts';`],
    ['src/commands/blog/create.ts', `import { command } from '../backup/create.ts';`],
    ['src/service/app.ts', `import { call } from '../client/client.ts';`],
    ['src/service/app.ts', `import { openHistory } from '../history/journal.ts';`],
    ['src/service/app.ts', `import { main } from '../cli/main.ts';`],
    ['src/service/app.ts', `import { command } from '../commands/backup/create.ts';`],
    ['src/commands/service/start.ts', `import { db } from '../../service/storage/schema.ts';`],
    ['src/commands/blog/create.ts', `import { request } from 'undici';`],
    ['src/cli/input.ts', `import { input } from '@inquirer/prompts';`],
    ['src/cli/settings.ts', `import Conf from 'conf';`],
    ['src/commands/blog/create.ts', `import { Chalk } from 'chalk';`],
    ['src/cli/result.ts', `const table = await import('cli-table3');`],
    ['src/commands/blog/create.ts', `import { Command } from 'commander';`],
    ['src/service/stores.ts', `import { sql } from 'kysely';`],
    ['src/service/storage/core/query.ts', `import { createKey } from '../../admin/keys.ts';`],
    ['src/service/operations/open.ts', `import type { Key } from '../admin/keys.ts';`],
    ['src/cli/input.ts', `import left from 'left-pad';`],
    ['src/cli/input.ts', `if (wrong) process.exit(1);`],
    ['src/service/log.ts', `console.error('oh');`],
    ['src/client/proxy.ts', `const proxy = process.env.HTTPS_PROXY;`],
    ['src/cli/long.ts', 'const line = 1;\n'.repeat(301)],
  ])('%s: %s', (file, text) => {
    const others = good.filter((source) => source.file !== file);

    expect(findViolations([...others, { file, text }])).toEqual([expect.stringContaining(file)]);
  });

  test('files and folders that import each other, in types too', () => {
    const files = [
      { file: 'src/service/model/a.ts', text: `import { b } from './b.ts';` },
      { file: 'src/service/model/b.ts', text: `import type { A } from './a.ts';` },
      { file: 'src/service/storage/core/c.ts', text: `import { d } from '../embedded/d.ts';` },
      { file: 'src/service/storage/core/e.ts', text: '' },
      { file: 'src/service/storage/embedded/d.ts', text: `import { e } from '../core/e.ts';` },
    ];
    expect(findViolations(files)).toEqual([
      'src/service/model/a.ts is in a circle',
      'src/service/model/b.ts is in a circle',
      'src/service/storage/core is in a circle',
      'src/service/storage/embedded is in a circle',
    ]);
  });
});
