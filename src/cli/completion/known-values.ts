import type * as z from 'zod/mini';

/**
 * Dotted names of the fields of a response, outer ones before those inside. A list of objects is gone through, as
 * `--fields` does it; the names in a map are the store's own and are not known.
 */
export function fieldNames(schema: z.ZodMiniType, prefix = ''): string[] {
  const bare = unwrap(schema);
  if (bare.def.type !== 'object') return [];
  return Object.entries((bare as z.ZodMiniObject).shape).flatMap(([name, field]) => [
    prefix + name,
    ...fieldNames(field as z.ZodMiniType, `${prefix}${name}.`),
  ]);
}

/** The schema inside of optional, nullable and lists. */
function unwrap(schema: z.ZodMiniType): z.ZodMiniType {
  const { innerType, element } = schema.def as { innerType?: z.ZodMiniType; element?: z.ZodMiniType };
  const inner = innerType ?? element;
  return inner === undefined ? schema : unwrap(inner);
}
