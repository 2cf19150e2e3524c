import type * as z from 'zod';
import { type FieldError, invalidFields } from './errors.ts';

/** The value as the schema gives it. Throws a `validation_failed` refusal that names every field at fault. */
export function validate<Output>(schema: z.ZodType<Output>, value: unknown): Output {
  const result = schema.safeParse(value);
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

/** RFC 6901. The empty pointer means the whole body. */
export function jsonPointer(path: readonly PropertyKey[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function isMissing(value: unknown, path: readonly PropertyKey[]): boolean {
  const found = path.reduce<unknown>(
    (parent, step) => (typeof parent === 'object' && parent !== null ? Reflect.get(parent, step) : undefined),
    value,
  );
  return found === undefined;
}
