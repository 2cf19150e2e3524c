import type * as z from 'zod';
import { type FieldError, invalidFields } from './errors.ts';

/** Parses a value by a schema. Throws `validation_failed` with every invalid field. */
export function validate<Output>(schema: z.ZodType<Output>, value: unknown): Output {
  const result = schema.safeParse(value, { error: describeIssue });
  if (result.success) return result.data;
  throw invalidFields(result.error.issues.flatMap((issue) => toFieldErrors(issue, value)));
}

function toFieldErrors(issue: z.core.$ZodIssue, value: unknown): FieldError[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      pointer: jsonPointer([...issue.path, key]),
      code: 'unknown_field',
      detail: 'is not a field of this request',
    }));
  }
  const pointer = jsonPointer(issue.path);
  if (issue.code === 'custom') {
    return [{ pointer, code: String(issue.params?.code ?? 'invalid'), detail: issue.message }];
  }
  if (issue.code === 'invalid_key') {
    const detail = issue.issues[0]?.message ?? issue.message;
    return [{ pointer, code: 'invalid_name', detail }];
  }
  if (isMissing(value, issue.path)) return [{ pointer, code: 'required', detail: 'is required' }];
  return [{ pointer, code: issue.code, detail: issue.message }];
}

const types: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** Completes "The field …", for checks whose schema has no text of its own. */
function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${types[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`;
    case 'too_small':
      return issue.origin === 'int' || issue.origin === 'number'
        ? `must be at least ${issue.minimum}`
        : 'is too short';
    case 'too_big':
      return describeMaximum(issue.origin, Number(issue.maximum));
    case 'invalid_format':
      return issue.format === 'email' ? 'must be an email address' : 'has an invalid format';
    default:
      return undefined;
  }
}

function describeMaximum(origin: string, maximum: number): string {
  if (origin === 'string') return `must have at most ${maximum} characters`;
  if (origin === 'array') return `must have at most ${maximum} items`;
  return `must be at most ${maximum}`;
}

/** RFC 6901. The empty pointer is the whole body. */
function jsonPointer(path: readonly PropertyKey[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function isMissing(value: unknown, path: readonly PropertyKey[]): boolean {
  const found = path.reduce<unknown>(
    (parent, step) => (typeof parent === 'object' && parent !== null ? Reflect.get(parent, step) : undefined),
    value,
  );
  return found === undefined;
}
