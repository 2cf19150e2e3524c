import type * as z from 'zod';
import { type InvalidField, validationFailed } from '../../model/errors.ts';
import { validate } from '../../model/validation.ts';

/** Reads the query of a URL by its schema. Throws `validation_failed` with the name of each parameter that is not valid. */
export function readQuery<Query>(schema: z.ZodType<Query>, query: string): Query {
  const parameters = new URLSearchParams(query);
  const { shape } = schema._zod.def as unknown as { readonly shape: object };
  const faults = [...new Set(parameters.keys())].flatMap((name): InvalidField[] => {
    const pointer = `/${name.slice(0, 100)}`;
    const values = parameters.getAll(name);
    if (!Object.hasOwn(shape, name)) {
      return [{ pointer, code: 'unknown_parameter', detail: 'is not a parameter of this request' }];
    }
    if (values.length > 1) return [{ pointer, code: 'duplicate', detail: 'must not be given twice' }];
    // As in a body.
    if (values.some((value) => value.includes('\0'))) {
      return [{ pointer, code: 'invalid_format', detail: 'must not contain NUL' }];
    }
    return [];
  });
  if (faults.length > 0) throw validationFailed(faults);
  return validate(schema, Object.fromEntries(parameters));
}
