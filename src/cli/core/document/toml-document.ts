import { parse, TomlError } from 'smol-toml';
import { parseJson } from '../../../base/json.ts';
import { isTooDeep } from '../json-text.ts';
import { DocumentError, type InputDocument, repeatedKey, TooDeepError } from './document.ts';

/** Reads TOML as `readDocument` does. Only names at the top and tables have lines. */
export function readToml(text: string, linesAbove: number): InputDocument {
  const lines = text.split(/\r?\n/);
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    if (error instanceof TomlError) throw tomlError(lines, error.line, linesAbove);
    throw error;
  }
  if (isTooDeep(value)) throw new TooDeepError();
  return {
    // Dates become texts as they are in the file.
    value: parseJson(JSON.stringify(value)),
    lineOf: ([name = '']) => {
      const index = lines.findIndex((line) => nameIn(line) === name);
      return index === -1 ? null : index + 1 + linesAbove;
    },
    sourceOf: () => null,
    emptyKeys: [],
    inexactNumber: null,
  };
}

/** The first name in `name = value` and `[name]`. */
function nameIn(line: string): string | null {
  const found = /^\s*(?:\[{1,2}\s*)?(?:"([^"]*)"|'([^']*)'|([\w-]+))\s*[=.\]]/.exec(line);
  return found === null ? null : (found[1] ?? found[2] ?? found[3] ?? null);
}

/** Why a line is not TOML. The parser says so in prose only. */
function tomlError(lines: readonly string[], number: number, linesAbove: number): DocumentError {
  const line = lines[number - 1] ?? '';
  const name = nameIn(line);
  const first = lines.slice(0, number - 1).findIndex((other) => nameIn(other) === name) + 1;
  if (name !== null && first > 0 && isWhole(line)) {
    return repeatedKey('TOML', [name], [first + linesAbove, number + linesAbove]);
  }
  return new DocumentError('TOML', number + linesAbove, reasonOfToml(line));
}

/** Whether the line alone is TOML: then it was refused for what stands above it. */
function isWhole(line: string): boolean {
  try {
    parse(line);
    return true;
  } catch {
    return false;
  }
}

function reasonOfToml(line: string): string {
  if (/^\s*[\w-]+\s*:/.test(line)) return 'TOML has "name = value", not "name: value"';
  if (/=\s*[^\s"'\d[{+-]/.test(line)) return 'a text must be in quotes';
  if (/=\s*(["'])(?!.*\1\s*(?:#.*)?$)/.test(line)) return 'a text without its closing quote';
  return 'not "name = value", or a bracket is not closed';
}
