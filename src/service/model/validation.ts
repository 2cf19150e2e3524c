import type * as z from 'zod';
import { valueAt } from '../../base/json.ts';
import { describeIssue } from '../../contract/issue-messages.ts';
import { type InvalidField, validationFailed } from './errors.ts';

/** Parses a value by a schema. Throws `validation_failed` with every invalid field. */
export function validate<Output>(schema: z.ZodType<Output>, value: unknown): Output {
  // Only what should be one of a few words is repeated: any other value may be a secret.
  const result = schema.safeParse(value, {
    error: (issue) => (issue.code === 'invalid_value' ? describeIssue(issue) : describeIssue(issue, '')),
  });
  if (result.success) return result.data;
  const errors = result.error.issues.flatMap((issue) => toFieldErrors(issue, value));
  // A request whose only field is unknown is not empty.
  const others = errors.filter(({ code }) => code !== 'empty');
  throw validationFailed(others.length > 0 ? others : errors);
}

function toFieldErrors(issue: z.core.$ZodIssue, value: unknown): InvalidField[] {
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
  if (valueAt(value, issue.path) === undefined) return [{ pointer, code: 'required', detail: 'is required' }];
  return [{ pointer, code: issue.code, detail: issue.message }];
}

/** RFC 6901. The empty pointer is the whole body. */
function jsonPointer(path: readonly PropertyKey[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
