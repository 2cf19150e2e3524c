import { constants, openSync, readFileSync, statSync } from 'node:fs';
import { devNull } from 'node:os';
import path from 'node:path';
import { isObject, parseJson } from '../../base/json.ts';
import { describeSystemError } from '../../base/system-error.ts';
import { CliError, fixInput, invalidInput, usageError } from '../core/errors.ts';
import { inexactNumber, isTooDeep, maxNestingDepth } from '../core/json-text.ts';
import type { InputSource } from './stdin.ts';

/** Splits `path=value`, which `--set` and `--field` take. The value is JSON if it parses as JSON, otherwise text. Throws a usage error. */
export function readPair(text: string, flag: string): { readonly path: string; readonly value: unknown } {
  const at = text.search(/(?<!\\)=/);
  if (at < 1) {
    throw invalidInput(
      `${flag} must be PATH=VALUE (got "${text}")`,
      `for example ${flag} settings.cashbackBp=250`,
    );
  }
  const value = text.slice(at + 1);
  const json = parseExactJson(value, `${flag} ${text.slice(0, at)}`);
  return { path: text.slice(0, at), value: json === undefined ? value : json };
}

/**
 * The JSON value of a text, or undefined if it is not JSON (`null` is a value). Throws a usage error for a number that
 * cannot be sent exactly.
 */
function parseExactJson(text: string, name: string): unknown {
  const value = parseJson(text);
  if (value === undefined) return undefined;
  refuseTooDeep(value, name);
  const inexact = inexactNumber(text);
  if (inexact === null) return value;
  throw usageError(
    `${name} contains the number ${inexact}, which cannot be sent exactly`,
    'put it in double quotes to send it as text',
    { code: 'inexact_number' },
  );
}

/** Throws a usage error if the value is nested too deeply to be processed. */
export function refuseTooDeep(value: unknown, name: string): void {
  if (!isTooDeep(value)) return;
  throw invalidInput(`${name} is nested more than ${maxNestingDepth} levels deep`, 'reduce the nesting');
}

/** Whether a file argument stands for standard input. */
export function isStandardInput(file: string): boolean {
  return ['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'].includes(file);
}

/**
 * The text of a file, or of standard input for `-`. Throws a usage error that names the flag, and exit 3 if standard input
 * or a pipe is silent for too long.
 */
export async function readText(source: InputSource, file: string, flag: string): Promise<string> {
  // An argument is named by its file alone.
  const named = flag.startsWith('<') ? describeFile(file) : `${describeFile(file)} (${flag})`;
  let bytes: Buffer;
  try {
    bytes = await readBytes(source, file, flag);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw usageError(
      `cannot read ${named}: ${describeSystemError(error)}`,
      'check the path and its permissions',
      { code: 'unreadable_file' },
    );
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw usageError(`${named} is not UTF-8 text`, 'save it as UTF-8', { code: 'unreadable_file' });
  }
}

async function readBytes(source: InputSource, named: string, flag: string): Promise<Buffer> {
  if (isStandardInput(named)) {
    const { readStdin } = await import('./stdin.ts');
    return readStdin(source, flag, named);
  }
  const file = path.resolve(source.io.cwd, named);
  const found = statSync(file);
  if (found.isCharacterDevice() && file !== devNull) throw new Error('a device, not a file');
  if (!found.isFIFO()) return readFileSync(file);
  // A blocking read would stop everything else, and Ctrl-C, for as long as nothing writes to the pipe.
  const { readPipe } = await import('./stdin.ts');
  return readPipe(source, openSync(file, constants.O_RDONLY | constants.O_NONBLOCK), named, flag);
}

/**
 * The object in a JSON or YAML text. Throws a usage error that names the text, and the line counted from the beginning of
 * the file that the user sees, in which `linesAbove` precede the text. `name` is null for what the user has just edited.
 */
export async function parseObject(
  text: string,
  name: string | null,
  linesAbove = 0,
): Promise<Record<string, unknown>> {
  const named = name ?? 'your text';
  if (text.trim() === '') throw invalidInput(`${named} is empty`, 'write fields in it, as JSON or YAML');
  let value = parseExactJson(text, named);
  if (value === undefined) {
    const yaml = await import('yaml');
    try {
      // A list as a name would become its text, with a warning of Node.
      const document = yaml.parseDocument(text, { stringKeys: true });
      // Warnings are about unknown tags, whose values would be sent wrongly.
      const [problem] = [...document.errors, ...document.warnings];
      if (problem !== undefined) throw problem;
      value = document.toJS();
    } catch (error) {
      // The reasons that the parser gives are for its authors. Nested aliases that would fill the memory have no line.
      const line = error instanceof yaml.YAMLError ? error.linePos?.[0].line : undefined;
      const where = line === undefined ? '' : describeLine(text, line, linesAbove);
      const problem = `invalid ${/^\s*[{[]/.test(text) ? 'JSON' : 'YAML'}${where}`;
      throw invalidInput(name === null ? problem : `${name} is not valid: ${problem}`, fixInput);
    }
  }
  refuseTooDeep(value, named);
  if (isObject(value)) return value;
  throw invalidInput(
    `${named} must be an object (got ${Array.isArray(value) ? 'a list' : 'a single value'})`,
    'for example {"name": "My store"}',
  );
}

/** ` in line 3 (tags: [a, b)`. */
function describeLine(text: string, number: number, linesAbove: number): string {
  const line = text.split('\n')[number - 1]?.trim() ?? '';
  return ` in line ${number + linesAbove}${line === '' ? '' : ` (${line.slice(0, 40)})`}`;
}

/** The name of a file in messages. */
export function describeFile(file: string): string {
  return isStandardInput(file) ? 'standard input' : file;
}
