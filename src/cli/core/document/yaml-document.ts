import * as yaml from 'yaml';
import { inexactNumber, isTooDeep } from '../json-text.ts';
import { DocumentError, type InputDocument, pathKey, repeatedKey, TooDeepError } from './document.ts';
import { reasonOfYaml } from './yaml-reasons.ts';

/** Reads YAML 1.2 with merge keys, as `readDocument` does. A text without any value is null. */
export function readYaml(text: string, linesAbove: number): InputDocument {
  const counter = new yaml.LineCounter();
  const lineAt = (offset: number) => counter.linePos(offset).line + linesAbove;
  try {
    const document = yaml.parseDocument(text, {
      lineCounter: counter,
      prettyErrors: false,
      merge: true,
      // A list as a name would become its text, with a warning of Node.
      stringKeys: true,
      // Found below, with both lines.
      uniqueKeys: false,
    });
    // Warnings are about unknown tags, whose values would be sent wrongly.
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) {
      const { offset, reason } = reasonOfYaml(problem, text, document);
      throw new DocumentError('YAML', lineAt(offset), reason);
    }
    const places = placesOf(document, lineAt);
    const value: unknown = document.toJS();
    if (isTooDeep(value)) throw new TooDeepError();
    return { value, ...places };
  } catch (error) {
    if (error instanceof RangeError) throw new TooDeepError();
    // Nested aliases that would fill the memory have no place.
    if (error instanceof ReferenceError) throw new DocumentError('YAML', 1 + linesAbove, 'too many aliases');
    throw error;
  }
}

/** Where everything stands. Throws for a key that stands twice and an alias of nothing. */
function placesOf(document: yaml.Document.Parsed, lineAt: (offset: number) => number) {
  const lines = new Map<string, number>();
  const sources = new Map<string, string>();
  const emptyKeys: (readonly string[])[] = [];
  let inexact: InputDocument['inexactNumber'] = null;

  const walk = (node: unknown, path: readonly string[]): void => {
    if (yaml.isAlias(node)) {
      if (node.resolve(document) !== undefined) return;
      const line = lineAt(node.range?.[0] ?? 0);
      throw new DocumentError('YAML', line, `*${node.source} must be in quotes if it is a text`);
    }
    if (yaml.isSeq(node)) {
      for (const [index, item] of node.items.entries()) walk(item, [...path, String(index)]);
    } else if (yaml.isMap(node)) {
      for (const { key, value } of node.items) {
        if (!yaml.isScalar(key)) continue;
        const own = [...path, String(key.value)];
        const line = lineAt(key.range?.[0] ?? 0);
        const first = lines.get(pathKey(own));
        if (first !== undefined) throw repeatedKey('YAML', own, [first, line]);
        lines.set(pathKey(own), line);
        if (isNothing(value)) emptyKeys.push(own);
        walk(value, own);
      }
    } else if (yaml.isScalar(node) && node.source !== undefined) {
      if (node.type === 'PLAIN') sources.set(pathKey(path), node.source);
      if (typeof node.value === 'number' && !isExact(node.value, node.source)) {
        inexact ??= { text: node.source, line: lineAt(node.range?.[0] ?? 0) };
      }
    }
  };
  walk(document.contents, []);

  return {
    lineOf: (path: readonly string[]) => lines.get(pathKey(path)) ?? null,
    sourceOf: (path: readonly string[]) => sources.get(pathKey(path)) ?? null,
    emptyKeys,
    inexactNumber: inexact,
  };
}

/** Nothing is written there: neither `null` nor `~`. */
function isNothing(value: unknown): boolean {
  return value === null || (yaml.isScalar(value) && value.value === null && !value.source);
}

function isExact(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return false;
  return /^0[xo]/.test(source)
    ? Number.isSafeInteger(value)
    : inexactNumber(source.replace(/^\+/, '')) === null;
}
