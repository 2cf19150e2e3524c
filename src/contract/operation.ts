import type * as z from 'zod/mini';

/**
 * What may be done with a request whose answer was lost:
 * - `read`: changes nothing, send it again.
 * - `repeatable`: sending it twice has the effect of sending it once.
 * - `keyed`: the body carries an idempotency key, the same key is applied once.
 * - `one-shot`: a second request may have a second effect, so it is never sent again unasked.
 */
export type OperationClass = 'read' | 'repeatable' | 'keyed' | 'one-shot';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One operation of the service, as data (section 4 of the contract). */
export interface Operation {
  /** Stable name, `noun.verb`: it stands in history records and in JSON errors. */
  readonly id: string;
  readonly method: HttpMethod;
  /** Path template with `{storeId}` and, where the operation has one, a second parameter. */
  readonly path: string;
  readonly summary: string;
  readonly class: OperationClass;
  /** Shape of the request body, or null where none is sent. Fields it does not name are allowed. */
  readonly body: z.ZodMiniObject | null;
  /** Shape of a success body. Every field may be missing or null, others may be there. */
  readonly response: z.ZodMiniObject;
}

/** The names in braces in the operation's path, in order: `['storeId', 'backupId']`. */
export function pathParameters(operation: Pick<Operation, 'path'>): string[] {
  return [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
}

/**
 * The request path with every parameter percent-encoded.
 * Throws a RangeError when one is missing or could change which path is meant (see {@link pathParameterProblem}).
 */
export function buildPath(
  operation: Pick<Operation, 'path'>,
  parameters: Readonly<Record<string, string>>,
): string {
  return operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name] ?? '';
    const problem = pathParameterProblem(value);
    if (problem !== null) throw new RangeError(`${name} ${problem}`);
    return encodeURIComponent(value);
  });
}

/**
 * Why `value` cannot be a path parameter, or null when it can.
 * Encoding alone is not enough: servers and proxies decode `%2F` and resolve `..` before they route.
 */
export function pathParameterProblem(value: string): string | null {
  if (value === '') return 'is empty';
  if (value === '.' || value === '..') return 'must not be "." or ".."';
  if (/[/\\]/.test(value)) return 'must not contain a slash';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u0020\u007f-\u009f]/.test(value)) return 'must not contain spaces or control characters';
  if (/\p{Surrogate}/u.test(value)) return 'is not valid Unicode';
  return null;
}
