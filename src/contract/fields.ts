import * as z from 'zod/mini';
import { nearName } from '../base/nearest-name.ts';
import type { Form } from './forms.ts';
import { describeIssue } from './issue-messages.ts';

// zod/mini loads faster than zod (the row `storectl backup create --json` of the bench), but comes without messages. The
// service's zod sets `localeError`.
z.config({ customError: describeIssue });

/**
 * Response objects: any field may be missing or null, and unknown fields are kept, so that a response stays readable if
 * the service adds or drops a field.
 */
export function lenientObject<Shape extends Record<string, z.ZodMiniType>>(shape: Shape) {
  const lenient = Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => [name, z.nullish(schema)]),
  ) as { [Name in keyof Shape]: z.ZodMiniOptional<z.ZodMiniNullable<Shape[Name]>> };
  return z.looseObject(lenient);
}

const unsetFields = z.registry<{ readonly unset: true }>();

/** Marks a field that this repository's service leaves out of a response while it has no value. */
export function ifSet<Schema extends z.ZodMiniType>(schema: Schema): Schema {
  unsetFields.add(schema, { unset: true });
  return schema;
}

/** Whether this repository's service always sends this field of a response. */
export function isAlwaysSent(field: z.core.$ZodType): boolean {
  return !unsetFields.has(field as z.ZodMiniType);
}

/** Request objects: known fields are checked, others are allowed, because the contract does not list them all. */
export const openObject = z.looseObject;

/** A UUID of any version: the contract does not say which. */
export const uuidText = z.guid;

/** Timestamps are strings. The contract does not specify their format. */
export const timestampText = () => {
  const schema = z.string();
  z.globalRegistry.add(schema, { format: 'date-time' });
  return schema;
};

/** What a user who enters a value should know: an example, or a remark such as its unit or where it is shown. */
export interface InputHint {
  readonly example?: string | undefined;
  readonly remark?: string | undefined;
  /** Of a list: most people want all values, so a question begins with all of them. */
  readonly isUsuallyAll?: boolean | undefined;
  /** Of a map: names that this repository's service knows. It may have others. */
  readonly names?: readonly string[] | undefined;
  /** What this repository's service takes. */
  readonly form?: Form | undefined;
}

const inputHints = z.registry<InputHint>();

/** What helps to enter a value of this field. */
export function inputHintOf(schema: z.core.$ZodType): InputHint {
  return inputHints.get(schema as z.ZodMiniType) ?? {};
}

/** Adds the description that help and prompts show for a field. `more` goes into the JSON schema. */
export function described<Schema extends z.ZodMiniType>(
  schema: Schema,
  description: string,
  {
    example,
    remark,
    isUsuallyAll,
    names,
    form,
    ...more
  }: InputHint & { readonly format?: string; readonly id?: string } = {},
): Schema {
  const hints = [
    ...(remark === undefined ? [] : [` (${remark})`]),
    ...(example === undefined ? [] : [`, for example ${example}`]),
  ];
  inputHints.add(schema, { example, remark, isUsuallyAll, names, form });
  z.globalRegistry.add(schema, { description: description + hints.join(''), ...more });
  return schema;
}

export const textField = (description: string, hint: InputHint = {}) =>
  described(z.string(), description, hint);

/** A timestamp that the user gives. */
export const timeField = (description: string, hint: InputHint = {}) =>
  described(z.string(), description, { ...hint, format: 'date-time' });

/** Gives a schema of responses its name in openapi.json. */
export function named<Schema extends z.ZodMiniType>(schema: Schema, id: string, description: string): Schema {
  return described(schema, description, { id });
}

/** Values of texts that this repository's service knows, and whether it accepts others. */
const knownTexts = z.registry<{ readonly values: readonly string[]; readonly open: boolean }>();

/**
 * A text for which this repository's service knows some values. The contract leaves it open, so any text passes. Only one that a
 * user gives (a `description` says so) must not be nearly a known one: that is a mistake.
 */
export function oneOf(
  values: readonly string[],
  description?: string,
  { open = false, ...hint }: InputHint & { readonly open?: boolean } = {},
) {
  const meant = (text: string) => (values.includes(text) ? null : nearName(values, text));
  const isMeant = z.refine((text) => meant(String(text)) === null, {
    error: ({ input }) => `"${String(input)}" looks mistyped (did you mean ${meant(String(input))}?)`,
  });
  const schema =
    description === undefined ? z.string() : described(z.string().check(isMeant), description, hint);
  knownTexts.add(schema, { values, open });
  return schema;
}

/** A filter of an addition: one of these values, and no other. */
export function choice<const Values extends readonly string[]>(values: Values, description: string) {
  const schema = described(z.enum(values), description);
  knownTexts.add(schema, { values, open: false });
  return schema;
}

/** The values that this repository's service knows for a field, or undefined. */
export function knownValues(schema: z.core.$ZodType): readonly string[] | undefined {
  return knownTextOf(schema)?.values;
}

/** The known value that is this text in another case, or the text. */
export function usualSpelling(schema: z.core.$ZodType, text: string): string {
  return knownValues(schema)?.find((value) => value.toLowerCase() === text.toLowerCase()) ?? text;
}

/** Whether this repository's service refuses all but {@link knownValues}. */
export function isClosed(schema: z.core.$ZodType): boolean {
  return knownTextOf(schema)?.open === false;
}

/** Of a text, or of the items of a list. */
function knownTextOf(schema: z.core.$ZodType) {
  const { element } = schema._zod.def as { readonly element?: z.core.$ZodType };
  return knownTexts.get((element ?? schema) as z.ZodMiniType);
}
