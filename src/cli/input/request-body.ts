import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod/mini';
import { valueAt } from '../../base/json.ts';
import type { Operation } from '../../contract/operation.ts';
import { type FieldError, fixInput, invalidFields, notTogether, usageError } from '../core/errors.ts';
import { parsePath, setPath } from '../core/field-path.ts';
import { advancedGroup } from '../core/option-spec.ts';
import { optionValue, optionValues, type ParsedCommand } from '../core/parsed-command.ts';
import { findFormProblems } from './check-forms.ts';
import { refuseEmptyKeys } from './empty-keys.ts';
import { applyFlag, type FieldFlag, parseFlag, parseText } from './field-flags.ts';
import {
  describeFile,
  isStandardInput,
  type ParsedObject,
  parseObject,
  readInputText,
  readPair,
} from './input-files.ts';
import type { InputSource } from './stdin.ts';

/** Options of every operation with a body. */
export const bodyOptions = [
  {
    flag: '--set',
    value: 'PATH=VALUE',
    description: 'Set any field: --set a.b=1 (JSON if it parses as JSON, otherwise text)',
    group: advancedGroup,
  },
  {
    flag: '--from-file',
    value: 'FILE',
    description: 'Read fields from a JSON or YAML file; - for standard input',
    group: advancedGroup,
  },
] as const;

/** A request body as the user gave it. */
export interface GivenBody {
  readonly body: Record<string, unknown>;
  /** The line of `--from-file` that gave the value of a field; null for a value from anywhere else. */
  lineOf(path: readonly string[]): number | null;
}

/** The unchecked body from file, `--set` and flags. Later sources override earlier ones. */
export async function readBody(
  source: InputSource,
  { body: schema }: Pick<Operation, 'body'>,
  fields: readonly FieldFlag[],
  parsed: ParsedCommand,
): Promise<GivenBody> {
  refuseSharedStdin(fields, parsed);
  const file = optionValue(parsed, '--from-file');
  const document = file === undefined ? null : await readBodyFile(source, schema, file);
  const body = structuredClone(document?.value ?? {});
  for (const text of optionValues(parsed, '--set')) {
    const { path, value } = await readPair(text, '--set');
    setPath(body, parsePath(path), value);
  }
  for (const field of fields) {
    const given = parsed.options.get(field.flag);
    const textFile = field.fileFlag === null ? undefined : optionValue(parsed, field.fileFlag);
    if (given !== undefined && textFile !== undefined) throw notTogether(field.flag, field.fileFlag ?? '');
    if (given !== undefined) applyFlag(body, field, parseFlag(field, given));
    if (textFile !== undefined) setPath(body, field.path, await readTextOf(source, field, textFile));
    const value = valueAt(body, field.path);
    if (typeof value === 'string') setPath(body, field.path, parseText(field, value));
  }
  const isFromFile = (path: readonly string[]) =>
    isDeepStrictEqual(valueAt(body, path), valueAt(document?.value, path));
  return { body, lineOf: (path) => (document !== null && isFromFile(path) ? document.lineOf(path) : null) };
}

async function readBodyFile(
  source: InputSource,
  schema: Operation['body'],
  file: string,
): Promise<ParsedObject> {
  const name = `${describeFile(file)} (--from-file)`;
  // A name says more than what the text begins with.
  const syntax = /\.json$/i.test(file) ? 'JSON' : undefined;
  const document = await parseObject(await readInputText(source, file, '--from-file'), name, { syntax });
  refuseEmptyKeys(document, schema, name);
  return document;
}

/** An empty file for a required text is refused: it usually means that an earlier step failed. */
async function readTextOf(source: InputSource, field: FieldFlag, file: string): Promise<string> {
  const flag = field.fileFlag ?? '';
  const text = await readInputText(source, file, flag);
  if (text.trim() !== '' || !field.required) return text;
  throw usageError(`${describeFile(file)} (${flag}) is empty`, `${field.flag} must not be empty`, {
    code: 'invalid_input',
    fields: [{ field: field.path.join('.'), flag, detail: 'empty' }],
  });
}

/**
 * Throws exit 2 for known fields of a body whose values are not what the contract says, or not in the format that this
 * repository's service takes. Missing fields are not checked here, nor bounds.
 */
export function checkBody(
  operation: Operation,
  fields: readonly FieldFlag[],
  body: Record<string, unknown> | null,
  lineOf: GivenBody['lineOf'] = () => null,
): void {
  if (operation.body !== null && body !== null) checkFields(operation.body, fields, body, lineOf);
}

/** The same for any fields, such as the filters of a list. */
export function checkFields(
  schema: z.ZodMiniObject,
  fields: readonly FieldFlag[],
  values: Record<string, unknown>,
  lineOf: GivenBody['lineOf'] = () => null,
): void {
  const issues = schema.safeParse(values).error?.issues ?? [];
  const wrong = [
    ...issues.map(({ path, message }) => ({ path: path.map(String), problem: message })),
    ...findFormProblems(schema, values).filter(({ isBound }) => !isBound),
  ]
    .filter(({ path }) => valueAt(values, path) !== undefined)
    .filter(({ path }, index, all) => index === all.findIndex((one) => isDeepStrictEqual(one.path, path)))
    .map(({ path, problem }): FieldError => {
      const field = path.join('.');
      const line = lineOf(path);
      const detail = line === null ? problem : `${problem} in line ${line}`;
      return { field, flag: flagOf(fields, field), detail };
    });
  if (wrong.length > 0) throw invalidFields(wrong, fixInput);
}

/** The fields to name by their flags in errors. Those that a file gave are named as they are there. */
export function fieldsToNameByFlag(
  fields: readonly FieldFlag[],
  { options }: ParsedCommand,
): readonly FieldFlag[] {
  if (!options.has('--from-file')) return fields;
  return fields.filter(
    ({ flag, fileFlag }) => options.has(flag) || (fileFlag !== null && options.has(fileFlag)),
  );
}

/** The flag that sets the field at a dotted path or one of its parents. Null if no flag does. */
export function flagOf(fields: readonly FieldFlag[], dotted: string): string | null {
  const field = fields.find(({ path }) => {
    const own = path.join('.');
    return dotted === own || dotted.startsWith(`${own}.`);
  });
  return field?.flag ?? null;
}

function refuseSharedStdin(fields: readonly FieldFlag[], parsed: ParsedCommand): void {
  const readers = ['--from-file', ...fields.flatMap(({ fileFlag }) => fileFlag ?? [])].filter((flag) => {
    const file = optionValue(parsed, flag);
    return file !== undefined && isStandardInput(file);
  });
  if (readers.length > 1) {
    throw usageError(
      `only one flag can read standard input (given: ${readers.join(', ')})`,
      'use files for the others',
    );
  }
}
