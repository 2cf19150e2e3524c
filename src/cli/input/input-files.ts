import { constants, openSync, readFileSync, statSync } from 'node:fs';
import { devNull } from 'node:os';
import path from 'node:path';
import { isObject } from '../../base/json.ts';
import { describeSystemError } from '../../base/system-error.ts';
import { DocumentError, type InputDocument, TooDeepError } from '../core/document/document.ts';
import { isJson } from '../core/document/json-document.ts';
import { type DocumentOptions, readDocument } from '../core/document/read-document.ts';
import { CliError, fixInput, invalidInput, usageError } from '../core/errors.ts';
import { maxNestingDepth } from '../core/json-text.ts';
import type { InputSource } from './stdin.ts';

/** Splits `path=value`, which `--set` and `--field` take. The value is JSON if it parses as JSON, otherwise text. Throws a usage error. */
export async function readPair(
  text: string,
  flag: string,
): Promise<{ readonly path: string; readonly value: unknown }> {
  const at = text.search(/(?<!\\)=/);
  if (at < 1) {
    throw invalidInput(
      `${flag} must be PATH=VALUE (got "${text}")`,
      `for example ${flag} settings.cashbackBp=250`,
    );
  }
  const value = text.slice(at + 1);
  const path = text.slice(0, at);
  return {
    path,
    value: isJson(value) ? (await parseExact(value, `${flag} ${path}`, { syntax: 'JSON' })).value : value,
  };
}

/** Whether a file argument stands for standard input. */
export function isStandardInput(file: string): boolean {
  return ['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'].includes(file);
}

/**
 * The text of a file, or of standard input for `-`. Throws a usage error that names the flag, and exit 3 if standard input
 * or a pipe is silent for too long.
 */
export async function readInputText(source: InputSource, file: string, flag: string): Promise<string> {
  // An argument is named by its file alone.
  const named = flag.startsWith('<') ? describeFile(file) : `${describeFile(file)} (${flag})`;
  let bytes: Buffer;
  try {
    bytes = await readBytes(source, file, flag);
  } catch (error) {
    if (error instanceof CliError) throw error;
    const reason = describeSystemError(error);
    throw usageError(`cannot read ${named}: ${reason}`, 'check the path and its permissions', {
      code: 'unreadable_file',
      reason: `cannot be read: ${reason}`,
    });
  }
  const encoding = encodingOf(bytes);
  if (encoding === null) {
    const reason = 'is a workbook or an archive, not text';
    throw usageError(`${named} ${reason}`, 'save the sheet as CSV UTF-8', {
      code: 'unreadable_file',
      reason,
    });
  }
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    const next = flag === '--from' ? 'save it as CSV UTF-8' : 'save it as UTF-8';
    const reason = 'is not UTF-8 text';
    throw usageError(`${named} ${reason}`, next, { code: 'unreadable_file', reason });
  }
}

/** Spreadsheets write UTF-16 with a byte order mark as "Unicode text". Null for their workbooks: ZIP, and OLE before 2007. */
function encodingOf(bytes: Buffer): 'utf-8' | 'utf-16le' | 'utf-16be' | null {
  const begins = (...first: number[]) => first.every((byte, index) => bytes[index] === byte);
  if (begins(0xff, 0xfe)) return 'utf-16le';
  if (begins(0xfe, 0xff)) return 'utf-16be';
  return begins(0x50, 0x4b, 0x03, 0x04) || begins(0xd0, 0xcf, 0x11, 0xe0) ? null : 'utf-8';
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

/** An object that a file of the user holds. */
export interface ParsedObject extends InputDocument {
  readonly value: Record<string, unknown>;
}

/**
 * The object in a JSON or YAML text. Throws a usage error that names the text, and the line counted from the beginning of
 * the file that the user sees, in which `linesAbove` precede the text. `name` is null for what the user has just edited.
 */
export async function parseObject(
  text: string,
  name: string | null,
  options: DocumentOptions = {},
): Promise<ParsedObject> {
  const named = name ?? 'your text';
  if (text.trim() === '') throw invalidInput(`${named} is empty`, 'write fields in it, as JSON or YAML');
  const document = await parseExact(text, name, options);
  const { value } = document;
  if (isObject(value)) return { ...document, value };
  throw invalidInput(
    `${named} must be an object (got ${Array.isArray(value) ? 'a list' : 'a single value'})`,
    'for example {"name": "My store"}',
  );
}

/** What a text holds, in which every number can be sent as it is written. Throws a usage error. */
async function parseExact(
  text: string,
  name: string | null,
  options: DocumentOptions,
): Promise<InputDocument> {
  const document = await parseDocument(text, name, options);
  const { inexactNumber } = document;
  if (inexactNumber === null) return document;
  const where = text.includes('\n') ? ` in line ${inexactNumber.line}` : '';
  throw usageError(
    `${name ?? 'your text'} contains the number ${inexactNumber.text}${where}, which cannot be sent exactly`,
    'put it in double quotes to send it as text',
    { code: 'inexact_number' },
  );
}

/** What a text holds. Throws a usage error that names it as {@link parseObject} does. */
export async function parseDocument(
  text: string,
  name: string | null,
  options: DocumentOptions,
): Promise<InputDocument> {
  try {
    return await readDocument(text, options);
  } catch (error) {
    throw describeDocumentError(error, text, name, options.linesAbove ?? 0);
  }
}

/** `settings.yaml (--from-file): invalid YAML in line 3 (start: 22:00): a tab at its beginning; …`. */
function describeDocumentError(
  error: unknown,
  text: string,
  name: string | null,
  linesAbove: number,
): unknown {
  if (error instanceof TooDeepError) {
    const what = `${name ?? 'your text'} is nested more than ${maxNestingDepth} levels deep`;
    return invalidInput(what, 'reduce the nesting');
  }
  if (!(error instanceof DocumentError)) return error;
  const { syntax, line, reason, repeatsKey } = error;
  const found = text.split('\n')[line - linesAbove - 1]?.trim().slice(0, 40) ?? '';
  const shown = found === '' ? '' : ` (${found})`;
  const problem = repeatsKey ? reason : `invalid ${syntax} in line ${line}${shown}: ${reason}`;
  return invalidInput(name === null ? problem : `${name}: ${problem}`, fixInput);
}

/** The name of a file in messages. */
export function describeFile(file: string): string {
  return isStandardInput(file) ? 'standard input' : file;
}
