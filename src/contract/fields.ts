import * as z from 'zod/mini';
import en from 'zod/v4/locales/en.js';

// zod/mini is a third of zod in size and in time to load, and comes without messages.
z.config(en());

/**
 * Response objects: any field may be missing or null, and fields the contract does not name are kept.
 * A service that adds or drops a field must not cost a user their answer.
 */
export function lenientObject<Shape extends Record<string, z.ZodMiniType>>(shape: Shape) {
  const lenient = Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => [name, z.nullish(schema)]),
  ) as { [Name in keyof Shape]: z.ZodMiniOptional<z.ZodMiniNullable<Shape[Name]>> };
  return z.looseObject(lenient);
}

/**
 * Request objects: the named fields are checked, others pass, since the contract leaves open what else is accepted.
 */
export const openObject = z.looseObject;

/** A UUID of any version: the contract does not say which. */
export const uuid = () => z.guid({ error: 'Invalid UUID' });

/** Timestamps are strings of a format the contract does not show. */
export const timestamp = z.string;

/** A schema with the words that help and questions use for it. */
export function described<Schema extends z.ZodMiniType>(
  schema: Schema,
  description: string,
  more: Readonly<Record<string, unknown>> = {},
): Schema {
  z.globalRegistry.add(schema, { description, ...more });
  return schema;
}

export const text = (description: string) => described(z.string(), description);
