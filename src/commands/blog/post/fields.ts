import { isObject } from '../../../base/json.ts';

/** A field of front matter. */
export interface Field {
  readonly name: string;
  /** The line of the file on which it stands, from 1. */
  readonly line: number;
  /** Its value as JSON. */
  readonly value: unknown;
  /** Its value with every number, truth value and date as the text that the file has: `1.10` stays `1.10`. */
  readonly written: unknown;
}

/** What is wrong with a file of a post. */
export interface PostProblem {
  /** From 1; null if it is not about one line. */
  readonly line: number | null;
  /** The field as the file names it, or null. */
  readonly field: string | null;
  /** The same for all files in which the same is wrong: `must be true or false`. */
  readonly reason: string;
  /** What this file has instead: `got "maybe"`. */
  readonly detail?: string | undefined;
  /** What to do about it, where that is not clear from the reason. */
  readonly fix?: string | undefined;
}

/** `a.md:3: draft must be true or false (got "maybe")`. */
export function describeProblem(file: string, { line, field, reason, detail }: PostProblem): string {
  const place = line === null ? file : `${file}:${line}`;
  return `${place}: ${[field, reason, detail && `(${detail})`].filter(Boolean).join(' ')}`;
}

/** Ends the reading of one file. */
export class ProblemInFile extends Error {
  readonly problem: PostProblem;

  constructor(problem: PostProblem) {
    super(problem.reason);
    this.name = 'ProblemInFile';
    this.problem = problem;
  }
}

/** The error of a field. `got` is shown if it is short, `fix` is what to do about it where the reason does not say so. */
export function problemOf(
  { name, line }: Pick<PostProblem, 'line'> & Pick<Field, 'name'>,
  reason: string,
  got?: unknown,
  fix?: string,
): ProblemInFile {
  const text = typeof got === 'string' ? got.trim() : null;
  const detail = text === null || text.length > 60 ? undefined : `got ${JSON.stringify(text)}`;
  return new ProblemInFile({ line, field: name, reason, detail, fix });
}

/** Names are the same whatever their case: `pubDate`, `pubdate`. */
export function plainName(name: string): string {
  return name.toLowerCase();
}

/** The fields of a file by their names. Inner fields have the names of both: `taxonomies.tags`. */
export interface FieldIndex {
  readonly all: readonly Field[];
  /** The fields of these names that have a value, in the order of the names. */
  filled(names: readonly string[]): readonly Field[];
}

export function indexFields(fields: readonly Field[]): FieldIndex {
  const byName = new Map<string, Field[]>();
  for (const field of fields.flatMap((one) => [one, ...innerFields(one)])) {
    const name = plainName(field.name);
    byName.set(name, [...(byName.get(name) ?? []), field]);
  }
  return {
    all: fields,
    filled: (names) =>
      names.flatMap((name) => byName.get(plainName(name)) ?? []).filter(({ written }) => !isEmpty(written)),
  };
}

function innerFields({ name, line, value, written }: Field): Field[] {
  if (!isObject(value) || !isObject(written)) return [];
  return Object.entries(value).map(([inner, one]) => ({
    name: `${name}.${inner}`,
    line,
    value: one,
    written: written[inner],
  }));
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === 'string' && value.trim() === '');
}
