import type * as z from 'zod/mini';
import { globalRegistry } from 'zod/mini';
import { inputHintOf, usualSpelling } from '../../contract/fields.ts';
import { invalidFields } from '../core/errors.ts';
import { setPath } from '../core/field-path.ts';
import { parseTime, timeExamples } from './parse-time.ts';

/** How the text of a flag becomes a value of the body. */
type FlagKind = 'text' | 'time' | 'number' | 'boolean' | 'list' | 'map';

/** Placeholders for the value of a flag in help and messages. */
export const flagValues = {
  text: 'TEXT',
  time: 'TIME',
  number: 'N',
  list: 'A,B',
  map: 'NAME=VALUE',
  boolean: null,
} as const;

/** A field of a request body and the flag that sets it. */
export interface FieldFlag {
  /** Where the field stands in the body: `['settings', 'cashbackBp']`. */
  readonly path: readonly string[];
  /** `--cashback-bp`. */
  readonly flag: string;
  readonly kind: FlagKind;
  readonly description: string;
  readonly required: boolean;
  /** `--content-file`, for texts too long for a command line. */
  readonly fileFlag: string | null;
  /** Schema of this field alone. */
  readonly schema: z.ZodMiniType;
}

/** Details of a command's flags that the contract does not contain. Keys are dotted paths. */
export interface FlagHints {
  /** Object whose name is left out of the flags of its fields: `settings` makes `--cashback-bp`. */
  readonly flatten?: string;
  /** Names of flags that read a long text from a file. */
  readonly fileFlags?: Readonly<Record<string, string>>;
  /** Fields that have no flag of their own. */
  readonly without?: readonly string[];
}

/** What helps to enter a value, such as `for example EUR` or `UUID`; empty if nothing does. */
export function remarkOf({ schema }: Pick<FieldFlag, 'schema'>): string {
  const { example, remark = '' } = inputHintOf(schema);
  return example === undefined ? remark : `for example ${example}`;
}

/** The flags of a request body, derived from its schema: kebab case, nested names joined, maps in the singular. */
export function deriveFlags(body: z.ZodMiniObject, hints: FlagHints = {}): FieldFlag[] {
  return fieldsOf(body, [], hints);
}

function fieldsOf(object: z.ZodMiniObject, parent: readonly string[], hints: FlagHints): FieldFlag[] {
  return Object.entries(object.shape).flatMap(([name, field]): FieldFlag[] => {
    const path = [...parent, name];
    const dotted = path.join('.');
    if (hints.without?.includes(dotted)) return [];
    const { schema, required } = unwrap(field as z.ZodMiniType);
    if (schema.def.type === 'object') return fieldsOf(schema as z.ZodMiniObject, path, hints);
    const kind = kindOf(schema);
    if (kind === null) return [];
    const fileFlag = hints.fileFlags?.[dotted];
    return [
      {
        path,
        flag: flagName(path, kind, hints),
        kind,
        description: globalRegistry.get(schema)?.description ?? dotted,
        required: required && parent.length === 0,
        fileFlag: fileFlag === undefined ? null : `--${fileFlag}`,
        schema,
      },
    ];
  });
}

function unwrap(field: z.ZodMiniType): { schema: z.ZodMiniType; required: boolean } {
  let schema = field;
  let required = true;
  while (schema.def.type === 'optional' || schema.def.type === 'nullable') {
    if (schema.def.type === 'optional') required = false;
    schema = (schema as z.ZodMiniOptional<z.ZodMiniType>).def.innerType;
  }
  return { schema, required };
}

function kindOf(schema: z.ZodMiniType): FlagKind | null {
  switch (schema.def.type) {
    case 'enum':
      return 'text';
    case 'string':
      return globalRegistry.get(schema)?.format === 'date-time' ? 'time' : 'text';
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'array':
      return 'list';
    case 'record': {
      const value = (schema as z.ZodMiniRecord).def.valueType as z.ZodMiniType;
      return value.def.type === 'object' ? null : 'map';
    }
    default:
      return null;
  }
}

function flagName(path: readonly string[], kind: FlagKind, { flatten }: FlagHints): string {
  const names = path[0] === flatten ? path.slice(1) : path;
  const kebab = names.map((name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)).join('-');
  return `--${kind === 'map' ? kebab.replace(/s$/, '') : kebab}`;
}

/** The value of a flag from its texts. Throws a usage error if they have the wrong form. */
export function parseFlag(field: FieldFlag, given: readonly string[] | boolean): unknown {
  if (typeof given === 'boolean') return given;
  const last = given.at(-1) ?? '';
  if (field.kind === 'number') return parseNumber(field, last);
  if (field.kind === 'list') return parseList(field, given);
  if (field.kind === 'map') return Object.fromEntries(given.map((text) => parsePair(field, text)));
  return parseText(field, last);
}

/** A time as RFC 3339, a known value in its usual spelling, and any other text as it is. */
export function parseText(field: FieldFlag, text: string): string {
  return field.kind === 'time' ? parseTimeOf(field, text) : usualSpelling(field.schema, text);
}

function parseNumber(field: FieldFlag, text: string): number {
  const number = Number(text);
  if (!/^[+-]?\d+(\.\d+)?$/.test(text.trim()) || !Number.isInteger(number)) {
    throw invalidValue(
      field,
      `must be a whole number (got "${text}")`,
      ['use a whole number without a unit', remarkOf(field)].filter(Boolean).join('; '),
    );
  }
  return number;
}

/** The time as RFC 3339. Throws a usage error if it cannot be understood. */
function parseTimeOf(field: Pick<FieldFlag, 'path' | 'flag'>, text: string): string {
  const time = parseTime(text, Date.now());
  if (time !== null) return time;
  const isDate = /^\d{4}-\d\d-\d\d/.test(text.trim());
  const detail = `${isDate ? 'is not a valid date or time' : 'must be a time'} (got "${text}")`;
  throw invalidValue(field, detail, `for example ${timeExamples}`);
}

/** The error of a value of a field; `detail` continues the name of the field. */
function invalidValue({ path, flag }: Pick<FieldFlag, 'path' | 'flag'>, detail: string, hint: string) {
  return invalidFields([{ field: path.join('.'), flag, detail }], hint);
}

/** Splits at commas and drops empty parts. `--sections "$UNSET"` is refused: it is almost certainly a mistake. */
function parseList(field: FieldFlag, given: readonly string[]): string[] {
  const items = given
    .flatMap((text) => text.split(','))
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (items.length > 0) return items;
  throw invalidValue(
    field,
    'needs a value',
    `add values; for an empty list, use --set ${field.path.join('.')}=[]`,
  );
}

function parsePair(field: FieldFlag, text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) {
    throw invalidValue(field, `must be NAME=VALUE (got "${text}")`, `for example ${field.flag} name=value`);
  }
  return [text.slice(0, at), text.slice(at + 1)];
}

/** Sets the value of a flag in a body. A map flag adds to an existing map; other flags replace. */
export function applyFlag(body: Record<string, unknown>, field: FieldFlag, value: unknown): void {
  if (field.kind !== 'map') {
    setPath(body, field.path, value);
    return;
  }
  for (const [name, item] of Object.entries(value as Record<string, unknown>)) {
    setPath(body, [...field.path, name], item);
  }
}
