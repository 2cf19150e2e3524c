import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describeSystemError, usageError } from '../../../cli/core/errors.ts';

/**
 * The files that the arguments name, each once. Shells usually expand `posts/*.md`; if one did not (Windows, quotes), `*`
 * and `?` in the last name are expanded here, sorted. Throws exit 2 for a pattern without a match.
 */
export function expandFiles(patterns: readonly string[], cwd: string): string[] {
  const files = patterns.flatMap((pattern) => {
    if (pattern === '-' || existsSync(path.resolve(cwd, pattern))) return [pattern];
    return /[*?]/.test(path.basename(pattern)) ? expand(pattern, cwd) : [pattern];
  });
  return [...new Set(files)];
}

function expand(pattern: string, cwd: string): string[] {
  const folder = path.dirname(pattern);
  const expression = path
    .basename(pattern)
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  let names: string[];
  try {
    names = readdirSync(path.resolve(cwd, folder));
  } catch (error) {
    throw noFile(pattern, describeSystemError(error));
  }
  const matching = new RegExp(`^${expression}$`);
  const found = names.filter((name) => matching.test(name) && !name.startsWith('.')).sort();
  if (found.length === 0) throw noFile(pattern, 'no file matches');
  return found.map((name) => path.join(folder, name));
}

function noFile(pattern: string, reason: string) {
  return usageError(`cannot read ${pattern}: ${reason}`, 'check the path', { code: 'unreadable_file' });
}
