import { parseJson } from '../../../base/json.ts';

/** What a walk through JSON text found: the keys of its objects, and the first thing that JSON does not allow. */
export interface JsonScan {
  readonly keys: readonly { readonly path: readonly string[]; readonly offset: number }[];
  /** A clause, and where in the text; null if the text is valid JSON. */
  readonly problem: { readonly reason: string; readonly offset: number } | null;
}

/** An object or list that is not closed yet. `name` is the key or index of the value that is read. */
interface Container {
  readonly isList: boolean;
  name: string;
}

/** What may come next. */
type Expected = 'value' | 'value or ]' | 'name' | 'name or }' | 'colon' | 'comma' | 'end';

const tokens =
  /(?<space>[ \t\r\n]+)|(?<string>"[^"\\\n]*(?:\\.[^"\\\n]*)*")|(?<mark>[{}[\],:])|(?<comment>#|\/[/*])|(?<word>[^\s{}[\],:"]+|.)/guy;
const literal = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?)$/i;

/** Walks through JSON text. `JSON.parse` says neither that a key is repeated, nor on all versions of Node where it stopped. */
export function scanJson(text: string): JsonScan {
  const keys: { path: string[]; offset: number }[] = [];
  const open: Container[] = [];
  let expected: Expected = 'value';
  let afterComma = false;
  const stop = (reason: string, offset: number): JsonScan => ({ keys, problem: { reason, offset } });
  const afterValue = (): Expected => (open.length === 0 ? 'end' : 'comma');

  for (const { index, groups = {}, 0: token } of text.matchAll(tokens)) {
    if (groups.space !== undefined) continue;
    if (groups.comment !== undefined) return stop('a comment, which JSON does not have', index);
    const innermost = open.at(-1);
    const isValue = expected === 'value' || expected === 'value or ]';
    const isName = expected === 'name' || expected === 'name or }';
    if (token.startsWith('"') && parseJson(token) === undefined) return stop(stringProblem(token), index);
    if ((token === '}' || token === ']') && innermost?.isList === (token === ']')) {
      if (afterComma) return stop(`a comma before ${token}, which JSON does not allow`, index);
      if (expected !== 'comma' && !expected.endsWith(token)) return stop(missing[expected], index);
      open.pop();
      expected = afterValue();
    } else if (isValue && (token === '{' || token === '[')) {
      open.push({ isList: token === '[', name: '0' });
      expected = token === '[' ? 'value or ]' : 'name or }';
    } else if (isName && groups.string !== undefined && innermost) {
      innermost.name = JSON.parse(token);
      keys.push({ path: open.map(({ name }) => name), offset: index });
      expected = 'colon';
    } else if (expected === 'colon' && token === ':') {
      expected = 'value';
    } else if (expected === 'comma' && token === ',' && innermost) {
      if (innermost.isList) innermost.name = String(Number(innermost.name) + 1);
      expected = innermost.isList ? 'value' : 'name';
    } else if (isValue && (groups.string !== undefined || isLiteral(token))) {
      expected = afterValue();
    } else {
      const isWord = groups.word !== undefined && (isValue || isName);
      return stop(isWord ? wordProblem(token) : wrongToken(expected, token), index);
    }
    afterComma = token === ',';
  }
  if (expected === 'end') return { keys, problem: null };
  const closing = open.at(-1)?.isList === true ? ']' : '}';
  // The end of the last text, not an empty line below it.
  return stop(
    expected === 'comma' ? `a closing ${closing} is missing` : missing[expected],
    text.trimEnd().length,
  );
}

const missing: Readonly<Record<Expected, string>> = {
  value: 'a value is missing',
  'value or ]': 'a value or a closing ] is missing',
  name: 'a name in double quotes is missing',
  'name or }': 'a name in double quotes or a closing } is missing',
  colon: 'a colon is missing after the name',
  comma: 'a comma is missing',
  end: 'text after the end of the JSON',
};

function wrongToken(expected: Expected, token: string): string {
  const found = token.slice(0, 30);
  return expected === 'comma' && !/^[}\]:]/.test(token)
    ? `a comma is missing before ${found}`
    : `${missing[expected]} (found ${found})`;
}

function wordProblem(word: string): string {
  const found = word.slice(0, 30);
  return /^[-+.\d]/.test(word) ? `${found} is not a number of JSON` : `${found} is not in double quotes`;
}

function isLiteral(token: string): boolean {
  // The names of values have lower case, the E of a number either.
  return literal.test(token) && (/^[-\d]/.test(token) || token === token.toLowerCase());
}

/** Why a token that begins with a quote is not a text of JSON. */
function stringProblem(token: string): string {
  if (token === '"') return 'a text without its closing quote';
  return /\\(?!["\\/bfnrt]|u[\da-f]{4})/i.test(token.replaceAll('\\\\', ''))
    ? 'an invalid escape; a backslash is written \\\\'
    : 'a tab or control character in a text; a tab is written \\t';
}
