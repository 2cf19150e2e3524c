import path from 'node:path';
import { operations } from '../../src/contract/operations/operations.ts';
import { circlesOf, type Import, importsOf, type SourceFile, withoutComments } from '../helpers/imports.ts';
import {
  draws,
  exceptions,
  failureText,
  folders,
  layers,
  maxEntries,
  offered,
  packages,
  session,
  sharedNames,
} from './rules.ts';

/** A declaration file names the package that it describes without importing it. */
export const isDeclaration = (file: string) => file.endsWith('.d.ts');

export function layerOf(file: string): string {
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

/** A file or folder that needs another one, and the import that shows it. */
interface Step {
  readonly from: string;
  readonly target: string;
  readonly shown: string;
}

/** Every circle of files or folders, with its imports: of values and types, and on demand. `layers` is the order of the layers. */
function findCircles(imports: readonly Import[]): string[] {
  const own = imports.filter(({ from, target }) => target.startsWith('src/') && target !== from);
  const files = own.map(({ from, target }) => ({ from, target, shown: `${from} -> ${target}` }));
  const folders = own
    .filter(({ from, target }) => layerOf(from) === layerOf(target))
    .map(stepOfFolders)
    .filter(({ from, target }) => from !== target);
  return [...describeCircles('files', files), ...describeCircles('folders', folders)];
}

/**
 * Which folder needs which one beside it, in the innermost folder that holds both files. A folder stands for all that is in
 * it, and the files that lie directly in the outer folder are one more: `src/client/*`.
 */
function stepOfFolders({ from, target }: Import): Step {
  const [own, other] = [from.split('/'), target.split('/')];
  const files = Math.min(own.length, other.length) - 1;
  const different = own.slice(0, files).findIndex((name, index) => name !== other[index]);
  const depth = different === -1 ? files : different;
  const inFolder = (names: readonly string[]) =>
    names.length === depth + 1 ? `${names.slice(0, depth).join('/')}/*` : names.slice(0, depth + 1).join('/');
  return { from: inFolder(own), target: inFolder(other), shown: `${from} -> ${target}` };
}

function describeCircles(what: string, steps: readonly Step[]): string[] {
  const graph = new Map<string, Set<string>>();
  for (const { from, target } of steps) graph.set(from, (graph.get(from) ?? new Set()).add(target));
  return circlesOf(graph).map((circle) => {
    const inCircle = steps.filter(({ from, target }) => circle.includes(from) && circle.includes(target));
    return `circle of ${what}: ${[...new Set(inCircle.map(({ shown }) => shown))].join(', ')}`;
  });
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

/** Names that several files export. */
function findDoubleNames(sources: readonly SourceFile[]): string[] {
  const filesOf = new Map<string, Set<string>>();
  for (const { file, text } of sources) {
    const exported = text.matchAll(
      /^export (?:declare )?(?:async )?(?:function\*?|const|type|interface|class) (?<name>\w+)/gm,
    );
    for (const { groups } of exported) {
      const name = groups?.name ?? '';
      if (sharedNames.some((shared) => shared.name.test(name) && shared.files.test(file))) continue;
      filesOf.set(name, (filesOf.get(name) ?? new Set()).add(file));
    }
  }
  return [...filesOf]
    .filter(([, { size }]) => size > 1)
    .map(([name, files]) => `${name} means one thing in ${[...files].join(', another in ')}`);
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
export function findViolations(files: readonly SourceFile[]): string[] {
  const names = new Set(files.map(({ file }) => file));
  const imports = files.flatMap(importsOf);
  const structure = [
    ...imports.map(folderViolationOf).filter((violation) => violation !== null),
    ...findCircles(imports),
    ...findFullFolders(files),
    ...findDoubleNames(files),
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
