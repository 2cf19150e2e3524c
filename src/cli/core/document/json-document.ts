import { parseJson } from '../../../base/json.ts';
import { inexactNumber, isTooDeep } from '../json-text.ts';
import { DocumentError, type InputDocument, pathKey, repeatedKey, TooDeepError } from './document.ts';
import { scanJson } from './scan-json.ts';

/** Whether a text is valid JSON. */
export function isJson(text: string): boolean {
  return parseJson(text) !== undefined;
}

/** Reads JSON as `readDocument` does. */
export function readJson(text: string, linesAbove: number): InputDocument {
  const value = parseJson(text);
  if (value === undefined) throw jsonError(text, linesAbove);
  if (isTooDeep(value)) throw new TooDeepError();
  const lineAt = lineCounter(text, linesAbove);
  const lines = new Map<string, number>();
  for (const { path, offset } of scanJson(text).keys) {
    const key = pathKey(path);
    const line = lineAt(offset);
    const first = lines.get(key);
    if (first !== undefined) throw repeatedKey('JSON', path, [first, line]);
    lines.set(key, line);
  }
  const inexact = inexactNumber(text);
  return {
    value,
    lineOf: (path) => lines.get(pathKey(path)) ?? null,
    sourceOf: () => null,
    emptyKeys: [],
    inexactNumber:
      inexact === null
        ? null
        : { text: inexact, line: lineOfOffset(text, text.indexOf(inexact)) + linesAbove },
  };
}

/** Why a text is not JSON. */
export function jsonError(text: string, linesAbove: number): DocumentError {
  const { offset, reason } = scanJson(text).problem ?? { offset: 0, reason: 'not JSON' };
  return new DocumentError('JSON', lineOfOffset(text, offset) + linesAbove, reason);
}

/**
 * Throws for a comment of JavaScript in what begins as JSON. `//` in a quoted text or inside of a word is none: YAML takes
 * `{url: https://shop.example}`.
 */
export function refuseComments(text: string, linesAbove: number): void {
  for (const { index, groups } of text.matchAll(commentOrText)) {
    if (groups?.comment === undefined) continue;
    const line = lineOfOffset(text, index) + linesAbove;
    throw new DocumentError('JSON', line, 'a comment, which JSON does not have');
  }
}

const commentOrText = /"(?:[^"\\]|\\.)*"|(?<comment>\/[/*])|[^\s",[\]{}]+/gs;

function lineOfOffset(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** Counts on from the last offset: the offsets have to ascend. */
function lineCounter(text: string, linesAbove: number): (offset: number) => number {
  let line = 1 + linesAbove;
  let counted = 0;
  return (offset) => {
    for (; counted < offset; counted += 1) if (text[counted] === '\n') line += 1;
    return line;
  };
}
