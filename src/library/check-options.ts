import { nearName } from '../base/nearest-name.ts';
import { headerKeyPattern } from '../client/idempotency-key.ts';

interface Rule {
  readonly must: string;
  readonly holds: (value: unknown) => boolean;
  readonly failure: typeof TypeError | typeof RangeError;
}

const rule = (must: string, holds: Rule['holds'], failure: Rule['failure'] = TypeError): Rule => ({
  must,
  holds,
  failure,
});
const optional = (must: string, holds: Rule['holds'], failure?: Rule['failure']) =>
  rule(must, (value) => value === undefined || holds(value), failure);

const text = rule('must be a non-empty string', (value) => typeof value === 'string' && value !== '');
const any = rule('', () => true);

/** Messages never contain the value: it may be the API key. */
const rules = {
  baseUrl: text,
  storeId: text,
  apiKey: text,
  folder: text,
  history: optional('must come from createHistory', isHistory),
  timeoutMs: optional(
    'must be a positive number of milliseconds',
    (value) => Number.isFinite(value) && Number(value) > 0,
    RangeError,
  ),
  onRetry: optional('must be a function', (value) => typeof value === 'function'),
  signal: optional('must be an AbortSignal', (value) => value instanceof AbortSignal),
  ifMatch: optional(
    'must be an ETag as the service sent it',
    (value) => typeof value === 'string' && /^[\x21-\x7e]+$/.test(value),
    RangeError,
  ),
  idempotencyKey: optional(
    'must be at most 255 printable ASCII characters, without blanks and quotes',
    (value) => typeof value === 'string' && headerKeyPattern.test(value),
    RangeError,
  ),
  fresh: optional('must be true or false', (value) => typeof value === 'boolean'),
  allowDuplicate: optional('must be true or false', (value) => typeof value === 'boolean'),
  operation: any,
  state: any,
  open: any,
} as const;

function isHistory(value: unknown): boolean {
  const { sender } = Object(value) as { sender?: { change?: unknown } };
  return typeof sender?.change === 'function';
}

/**
 * Checks what a script, perhaps without types, gave as options. Throws a TypeError for a name that is not one of `known`, with
 * one that is near, and a TypeError or RangeError for a missing or wrong value.
 */
export function checkOptions(options: unknown, known: readonly (keyof typeof rules)[]): void {
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`an object with options is required: ${known.join(', ')}`);
  }
  const given = new Map<string, unknown>(Object.entries(options));
  for (const name of given.keys()) {
    if (known.some((one) => one === name)) continue;
    const near = nearName(known, name);
    throw new TypeError(`unknown option ${name}${near === null ? '' : ` (did you mean ${near}?)`}`);
  }
  for (const name of known) {
    const { must, holds, failure: Failure } = rules[name];
    if (!holds(given.get(name))) throw new Failure(`${name} ${must}`);
  }
}
