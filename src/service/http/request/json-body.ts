import { isObject } from '../../../base/json.ts';
import { ServiceError } from '../../model/errors.ts';

const maxDepth = 32;
const maxValues = 20_000;
/** Names that change the prototype of an object when a program copies members carelessly. */
const forbiddenNames = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Parses a request body: a JSON object in UTF-8, at most 32 levels deep and with at most 20 000 values, without duplicate or
 * dangerous member names, NUL or lone surrogates. JSON.parse accepts all of these, and other programs read them
 * differently. The text is scanned before it is parsed, so that a hostile one costs little. Throws `malformed_json`.
 */
export function parseJsonObject(bytes: Uint8Array): Record<string, unknown> {
  const text = decode(bytes);
  scan(text);
  const value = parse(text);
  if (isObject(value)) return value;
  throw malformed('The body must be a JSON object');
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw malformed('The body is not valid UTF-8');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson();
  }
}

/** Walks over the tokens of a text that may not be valid JSON. */
function scan(text: string): void {
  const token = /["{}[\],]/g;
  /** For each open object its member names so far, for each open array null. */
  const open: (Set<string> | null)[] = [];
  let values = 1;
  while (token.test(text)) {
    const index = token.lastIndex - 1;
    const character = text[index];
    if (character === '{' || character === '[') {
      open.push(character === '{' ? new Set() : null);
      if (open.length > maxDepth) throw malformed(`The body is more than ${maxDepth} levels deep`);
      values += 1;
    } else if (character === '}' || character === ']') {
      if (open.pop() === undefined) throw notJson();
    } else if (character === ',') {
      values += 1;
    } else {
      const end = endOfString(text, index);
      const quoted = text.slice(index, end);
      if (isFollowedByColon(text, end)) checkName(readString(quoted), open.at(-1));
      else if (mayBeForbidden.test(quoted)) readString(quoted);
      token.lastIndex = end;
    }
    if (values > maxValues) throw malformed(`The body has more than ${maxValues} values`);
  }
}

/** Index after the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let quote = start;
  do {
    quote = text.indexOf('"', quote + 1);
    if (quote === -1) throw notJson();
  } while (isEscaped(text, quote));
  return quote + 1;
}

function isEscaped(text: string, index: number): boolean {
  let first = index;
  while (text[first - 1] === '\\') first--;
  return (index - first) % 2 === 1;
}

function isFollowedByColon(text: string, start: number): boolean {
  const space = /\s*/y;
  space.lastIndex = start;
  space.test(text);
  return text[space.lastIndex] === ':';
}

/** NUL and lone surrogates can only be written with an escape. */
const mayBeForbidden = /\\u(?:0000|d[89a-f])/i;

/** The value of a string token. */
function readString(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  const string = parse(quoted);
  if (typeof string !== 'string') throw notJson();
  if (string.includes('\0')) throw malformed('The body contains a NUL character');
  if (/\p{Surrogate}/u.test(string)) throw malformed('The body contains a lone surrogate');
  return string;
}

function checkName(name: string, seen: Set<string> | null | undefined): void {
  if (forbiddenNames.has(name)) throw malformed(`The member name "${name}" is not allowed`);
  if (seen?.has(name)) throw malformed(`The member "${name.slice(0, 100)}" occurs twice in one object`);
  seen?.add(name);
}

function malformed(detail: string): ServiceError {
  return new ServiceError('malformed_json', detail);
}

function notJson(): ServiceError {
  return malformed('The body is not valid JSON');
}
