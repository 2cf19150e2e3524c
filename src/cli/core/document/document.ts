/** What a JSON, YAML or TOML text holds, and where its parts stand. A path is names and indexes: `['tags', '0']`. */
export interface InputDocument {
  readonly value: unknown;
  /** The line on which a field stands, from 1; null for one that does not stand in the text. */
  lineOf(path: readonly string[]): number | null;
  /** A value of YAML without quotes as it is written, such as `1.10`; null for everything else. */
  sourceOf(path: readonly string[]): string | null;
  /** Keys of YAML with nothing behind them. Their value is null, which is seldom meant. */
  readonly emptyKeys: readonly (readonly string[])[];
  /** The first number that JavaScript cannot represent. */
  readonly inexactNumber: { readonly text: string; readonly line: number } | null;
}

export type DocumentSyntax = 'JSON' | 'YAML' | 'TOML';

/** A text is not JSON, YAML or TOML, or has a key twice. Callers name the file. */
export class DocumentError extends Error {
  readonly syntax: DocumentSyntax;
  /** From 1, in the file that the user sees. */
  readonly line: number;
  /** What is wrong there, as a clause. */
  readonly reason: string;
  /** The text follows the rules of its syntax, and only gives two values for one field. */
  readonly repeatsKey: boolean;

  constructor(syntax: DocumentSyntax, line: number, reason: string, { repeatsKey = false } = {}) {
    super(reason);
    this.name = 'DocumentError';
    this.syntax = syntax;
    this.line = line;
    this.reason = reason;
    this.repeatsKey = repeatsKey;
  }
}

/** Values nested more deeply than parsers can follow. */
export class TooDeepError extends Error {}

/** `"status" is set twice, in lines 1 and 3`. */
export function repeatedKey(
  syntax: DocumentSyntax,
  path: readonly string[],
  [first, second]: readonly [number, number],
): DocumentError {
  const lines = first === second ? `in line ${first}` : `in lines ${first} and ${second}`;
  return new DocumentError(syntax, second, `${path.join('.')} is set twice, ${lines}`, { repeatsKey: true });
}

/** A path as the key of a map. */
export const pathKey = (path: readonly string[]) => JSON.stringify(path);
