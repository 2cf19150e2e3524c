import { isObject } from '../../contract/json-object.ts';
import { ServiceError } from '../model/errors.ts';

const maxDepth = 32;
const maxValues = 20_000;
const space = 0x20;
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
  throw malformed('The body must be a JSON object.');
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw malformed('The body is not valid UTF-8.');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed('The body is not valid JSON.');
  }
}

/** Walks over the tokens of a text that may not be valid JSON. */
function scan(text: string): void {
  /** For each open object its member names so far, for each open array null. */
  const open: (Set<string> | null)[] = [];
  let values = 1;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '{' || character === '[') {
      open.push(character === '{' ? new Set() : null);
      if (open.length > maxDepth) throw malformed(`The body is more than ${maxDepth} levels deep.`);
      values += 1;
    } else if (character === '}' || character === ']') {
      open.pop();
    } else if (character === ',') {
      values += 1;
    } else if (character === '"') {
      const end = endOfString(text, index);
      const string = readString(text.slice(index, end));
      if (isFollowedByColon(text, end)) checkName(string, open.at(-1));
      index = end - 1;
    }
    if (values > maxValues) throw malformed(`The body has more than ${maxValues} values.`);
  }
}

/** Index after the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
  return index + 1;
}

function isFollowedByColon(text: string, start: number): boolean {
  let index = start;
  // Outside of strings, every character up to the space is white space.
  while (text.charCodeAt(index) <= space) index++;
  return text[index] === ':';
}

/** The value of a string token. */
function readString(quoted: string): string {
  // NUL and lone surrogates can only be written with an escape.
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  const string = parse(quoted);
  if (typeof string !== 'string') throw malformed('The body is not valid JSON.');
  if (string.includes('\0')) throw malformed('The body contains a NUL character.');
  if (/\p{Surrogate}/u.test(string)) throw malformed('The body contains a lone surrogate.');
  return string;
}

function checkName(name: string, seen: Set<string> | null | undefined): void {
  if (forbiddenNames.has(name)) throw malformed(`The member name "${name}" is not allowed.`);
  if (seen?.has(name)) throw malformed(`The member "${name.slice(0, 100)}" occurs twice in one object.`);
  seen?.add(name);
}

function malformed(detail: string): ServiceError {
  return new ServiceError('malformed_json', detail);
}
