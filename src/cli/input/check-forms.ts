import { isObject } from '../../base/json.ts';
import { inputHintOf } from '../../contract/fields.ts';
import type { Form } from '../../contract/forms.ts';
import { type BodySchema, shapeOf, valueSchema } from '../../contract/schema-paths.ts';

/** A value that the service would refuse, and why: a clause that follows the name of its field. */
interface FormProblem {
  readonly path: readonly string[];
  readonly problem: string;
  /** Another service may take it: see {@link Form}. */
  readonly isBound: boolean;
}

/**
 * The values below a schema that this repository's service would refuse for their form, such as a time zone that does not exist.
 * Null clears a field, and the schema itself has been checked.
 */
export function findFormProblems(
  schema: BodySchema,
  value: unknown,
  path: readonly string[] = [],
): FormProblem[] {
  if (value === undefined || value === null) return [];
  const { form } = inputHintOf(valueSchema(schema));
  if (form !== undefined && !form.fits(value))
    return [{ path, problem: describe(form, value), isBound: form.isBound === true }];
  if (!isObject(value)) return [];
  const { field } = shapeOf(schema);
  return Object.entries(value).flatMap(([name, inner]) => {
    const own = field(name);
    return own === undefined ? [] : findFormProblems(own, inner, [...path, name]);
  });
}

/** `must be an IANA time zone such as Europe/Berlin (got "Berlin"; did you mean Europe/Berlin?)`. */
function describe({ problem, meant }: Form, value: unknown): string {
  const text = JSON.stringify(value);
  const near = typeof value === 'string' ? (meant?.(value) ?? null) : null;
  const shown = [
    ...(text.length > 60 ? [] : [`got ${text}`]),
    ...(near === null ? [] : [`did you mean ${near}?`]),
  ];
  return shown.length === 0 ? problem : `${problem} (${shown.join('; ')})`;
}
