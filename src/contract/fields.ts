import * as z from 'zod';

/**
 * Response objects: any field may be missing or null, and fields the contract does not name are kept.
 * A service that adds or drops a field must not cost a user their answer.
 */
export function lenientObject<Shape extends Record<string, z.ZodType>>(shape: Shape) {
  const lenient = Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => [name, schema.nullish()]),
  ) as { [Name in keyof Shape]: z.ZodOptional<z.ZodNullable<Shape[Name]>> };
  return z.looseObject(lenient);
}

/**
 * Request objects: the named fields are checked, others pass, since the contract leaves open what else is accepted.
 */
export const openObject = z.looseObject;

/** A UUID of any version: the contract does not say which. */
export const uuid = z.guid;

/** Timestamps are strings of a format the contract does not show. */
export const timestamp = z.string;

export const text = (description: string) => z.string().meta({ description });
