import { type Dirent, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { describeSystemError } from '../../../base/system-error.ts';
import { usageError } from '../../../cli/core/errors.ts';

/** Where patterns are expanded. */
interface Place {
  readonly cwd: string;
  /** Windows knows no difference between `.md` and `.MD`. */
  readonly ignoreCase: boolean;
}

/**
 * The files that the arguments name, each once. Shells usually expand `posts/*.md`. If one did not (Windows, quotes), or does not
 * know `**`, it is expanded here, sorted, without hidden files and `node_modules`. Throws exit 2 for a folder and for a pattern
 * without a match; both name the pattern to use.
 */
export function expandFiles(patterns: readonly string[], place: Place): string[] {
  const files = patterns.flatMap((pattern) => {
    const found = pattern === '-' ? null : kindOf(path.resolve(place.cwd, pattern));
    if (found === 'folder') throw isFolder(pattern, place);
    if (pattern === '-' || found === 'file' || !/[*?[{]/.test(pattern)) return [pattern];
    const matches = expand(pattern, place);
    if (matches.length === 0) throw noMatch(pattern, place);
    return matches;
  });
  return [...new Set(files)];
}

/**
 * What the user should know of patterns that end with `.md`, or null: Markdown files with other endings, such as Jekyll's
 * `.markdown`, are in the same folders.
 */
export function noteOtherEndings(patterns: readonly string[], place: Place): string | null {
  const found = patterns.flatMap((pattern) => {
    const stem = pattern.replace(markdown, '');
    if (stem === pattern || !/[*?[{]/.test(pattern)) return [];
    const all = expand(`${stem}.*`, place).filter((file) => markdown.test(file));
    const others = new Set(expand(pattern, place));
    const missed = all.filter((file) => !others.has(file));
    return missed.length === 0 ? [] : [{ missed, wider: `${stem}.${endingOf(all)}` }];
  });
  const missed = new Set(found.flatMap((one) => one.missed));
  if (missed.size === 0) return null;
  const [first, ...others] = missed;
  const more = `${others.length} more Markdown ${others.length === 1 ? 'file' : 'files'}`;
  const files = others.length === 0 ? first : `${first} and ${more}`;
  return `Warning: not included: ${files}. To include ${missed.size === 1 ? 'it' : 'them'}, use ${found.map(({ wider }) => `'${wider}'`).join(' ')}.`;
}

/** `md`, or `{markdown,md}`. */
function endingOf(files: readonly string[]): string {
  const endings = [...new Set(files.map((file) => path.extname(file).slice(1)))].sort();
  return endings.length === 1 ? String(endings[0]) : `{${endings.join(',')}}`;
}

function kindOf(file: string): 'file' | 'folder' | null {
  try {
    return statSync(file).isDirectory() ? 'folder' : 'file';
  } catch {
    return null;
  }
}

/** Folders before the first part with a wildcard are not searched, but named. */
function expand(pattern: string, { cwd, ignoreCase }: Place): string[] {
  const parts = pattern.split(path.sep === '\\' ? /[/\\]/ : '/');
  const first = parts.findIndex((part) => /[*?[{]/.test(part));
  const base = parts.slice(0, first).join('/');
  const prefix = first === 0 ? '' : `${base}/`;
  const found = match(path.resolve(cwd, prefix || '.'), parts.slice(first), ignoreCase);
  return found.map((file) => path.normalize(prefix + file)).sort();
}

/** Paths below `folder`, with `/`, that match the parts of a pattern. */
function match(folder: string, [part = '', ...rest]: readonly string[], ignoreCase: boolean): string[] {
  const entries = list(folder);
  if (part === '**') {
    // `posts/**` means the posts, not their pictures.
    const here = match(folder, rest.length === 0 ? ['*'] : rest, ignoreCase).filter(
      (file) => rest.length > 0 || markdown.test(file),
    );
    const below = entries.filter(isFolderToSearch);
    return [
      ...here,
      ...below.flatMap(({ name }) =>
        under(name, match(path.join(folder, name), [part, ...rest], ignoreCase)),
      ),
    ];
  }
  const expression = expressionOf(part, ignoreCase);
  const named = entries.filter(
    ({ name }) => expression.test(name) && (part.startsWith('.') || !name.startsWith('.')),
  );
  if (rest.length === 0) return named.filter((entry) => isFile(folder, entry)).map(({ name }) => name);
  return named.flatMap(({ name }) => under(name, match(path.join(folder, name), rest, ignoreCase)));
}

const under = (folder: string, files: readonly string[]) => files.map((file) => `${folder}/${file}`);

function list(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function isFile(folder: string, entry: Dirent): boolean {
  return entry.isSymbolicLink() ? kindOf(path.join(folder, entry.name)) === 'file' : !entry.isDirectory();
}

/** Links are not followed: they may lead in circles. */
function isFolderToSearch(entry: Dirent): boolean {
  return entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules';
}

/** `*`, `?`, `[a-z]` and `{md,mdx}`. */
function expressionOf(part: string, ignoreCase: boolean): RegExp {
  let depth = 0;
  const source = part.replace(/\[[!^]?[^\]]+\]|[*?{},.+^$()|[\]\\]/g, (token) => {
    if (token === '*') return '.*';
    if (token === '?') return '.';
    if (token === '{') depth += 1;
    if (token === '{') return '(?:';
    if (token === '}' && depth > 0) {
      depth -= 1;
      return ')';
    }
    if (token === ',') return depth > 0 ? '|' : ',';
    return token.length > 1 ? token.replace(/^\[!/, '[^').replace(/\\/g, '\\\\') : `\\${token}`;
  });
  return new RegExp(`^${source}${')'.repeat(depth)}$`, ignoreCase ? 'iu' : 'u');
}

const markdown = /\.(md|markdown|mdx)$/i;

/** The pattern for the posts in a folder, or null if there are none: `posts/*.md`, or `'posts/**' + '/*.md'` with its folders. */
function patternFor(folder: string, { cwd, ignoreCase }: Place): string | null {
  const files = match(path.resolve(cwd, folder), ['**'], ignoreCase).filter((file) => markdown.test(file));
  if (files.length === 0) return null;
  const ending = endingOf(files);
  const base = folder.replace(/[/\\]+$/, '');
  return files.some((file) => file.includes('/')) ? `'${base}/**/*.${ending}'` : `${base}/*.${ending}`;
}

function isFolder(folder: string, place: Place) {
  const pattern = patternFor(folder, place);
  const next =
    pattern === null ? 'name Markdown files (there are none in it)' : `for the posts in it, use ${pattern}`;
  return usageError(`${folder} is a folder`, next, { code: 'unreadable_file' });
}

function noMatch(pattern: string, place: Place) {
  const parts = pattern.split('/');
  const base =
    parts
      .slice(
        0,
        parts.findIndex((part) => /[*?[{]/.test(part)),
      )
      .join('/') || '.';
  const folder = path.resolve(place.cwd, base);
  if (kindOf(folder) !== 'folder') {
    const reason = describeSystemError(Object.assign(new Error(), { code: 'ENOENT' }));
    return usageError(`cannot read ${base}: ${reason}`, 'check the path', { code: 'unreadable_file' });
  }
  const better = patternFor(base, place);
  const next = better === null ? 'check the path' : `for the posts in ${base}, use ${better}`;
  return usageError(`no file matches ${pattern}`, next, { code: 'unreadable_file' });
}
