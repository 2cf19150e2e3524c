import type * as z from 'zod/mini';
import { kindOf, kindOfParameter } from './objects.ts';

/**
 * What may be done if the response to a request is lost:
 * - `read`: changes nothing, send it again.
 * - `repeatable`: sending it twice has the effect of sending it once.
 * - `keyed`: the body carries an idempotency key, the same key is applied once.
 * - `one-shot`: a second request may have a second effect, so it is never sent again automatically.
 */
export type OperationClass = 'read' | 'repeatable' | 'keyed' | 'one-shot';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One operation of the service, as data (docs/contract.md, section 4). */
export interface Operation {
  /** Stable name, `noun.verb`, used in history records and JSON errors. */
  readonly id: string;
  readonly method: HttpMethod;
  /** Path template with `{storeId}` and, for some operations, a second parameter. */
  readonly path: string;
  readonly summary: string;
  readonly class: OperationClass;
  /** Schema of the request body, or null if there is none. Unknown fields are allowed. */
  readonly body: z.ZodMiniObject | null;
  /** Schema of the parameters in the query, before they become text. All are optional. */
  readonly query?: z.ZodMiniObject;
  /** What each filter in the query of a list compares with: all of its parameters but `limit` and `after` (filters.ts). */
  readonly filters?: Readonly<Record<string, Filter>>;
  /** Schema of a success body. Every field may be missing or null, and unknown fields are allowed. */
  readonly response: z.ZodMiniObject;
  /** Fields of a success that name what was asked for. If one has another value, the response is to another request. */
  readonly repeats?: readonly RepeatedField[];
  /** The objects that it is for, where not all of their kind are. */
  readonly candidates?: Candidates;
  /** Not in the contract: an addition of this repository's service, section 10. Another service may not have it. */
  readonly isAddition?: true;
}

/** What a filter of a list compares with. */
export interface Filter {
  /** The field of an item that has the value of the filter. If the field is a list, one of its values is enough. */
  readonly field: string;
  /** Where the field has another value: which one for each value of the filter. A value that is not here leaves nothing out. */
  readonly means?: Readonly<Record<string, unknown>>;
}

/** Objects that an operation is for. */
interface Candidates {
  /** In words: `open disputes`. */
  readonly what: string;
  /** Lists only these, where the service knows the filter. */
  readonly query?: Readonly<Record<string, string>>;
  fits(fields: Readonly<Record<string, unknown>>): boolean;
  /** What they are sorted by, the lowest first. Without it they stand as the service lists them. */
  order?(fields: Readonly<Record<string, unknown>>): number;
}

interface RepeatedField {
  /** In the response, with dots: `record.id`. */
  readonly field: string;
  /** The path parameter whose id the field repeats. Without one, it repeats the field of that name in the request. */
  readonly parameter?: string;
}

/** An operation as this repository's service offers it. */
export interface ServedOperation extends Operation {
  /** What this repository's service decided where the contract is silent. Another service may have decided otherwise. */
  readonly service: {
    readonly scope: `${string}:${string}`;
    /** Statuses of success: 200 unless given. */
    readonly success?: readonly (200 | 201)[];
    /** Responses have an `ETag`, and a write accepts it in `If-Match`. */
    readonly versioned?: true;
    /** What it answers, where the contract leaves the response open. */
    readonly response?: z.ZodMiniObject;
    /** It may be refused because of what is already there. */
    readonly conflicts?: true;
    /** A body that it accepts, for its documentation. */
    readonly example?: Readonly<Record<string, unknown>>;
  };
}

/** A parameter in the template of a path. */
const pathParameter = /\{(\w+)\}/g;

/** The names in braces in the operation's path, in order: `['storeId', 'backupId']`. */
export function pathParameters(operation: Pick<Operation, 'path'>): string[] {
  return [...operation.path.matchAll(pathParameter)].map((match) => match[1] ?? '');
}

/** Matches the paths that a template stands for: each parameter is a group of its name. */
export function patternOfPath(template: string): RegExp {
  return new RegExp(`^${template.replaceAll('.', '\\.').replace(pathParameter, '(?<$1>[^/]+)')}$`);
}

/** `reclaim notice` for `reclaimId`. */
export function nounOf(parameter: string): string {
  const kind = kindOfParameter(parameter);
  return kind === undefined ? parameter.replace(/Id$/, '') : kindOf(kind).one;
}

/** `ID of the reclaim notice` for `reclaimId`. */
export function describeParameter(name: string): string {
  return `ID of the ${nounOf(name)}`;
}

/** The values of the path parameters in the path of a request for this operation, or an empty object. */
export function parametersOf(operation: Pick<Operation, 'path'>, path: string): Record<string, string> {
  const found = patternOfPath(operation.path).exec(canonicalPath(path))?.groups ?? {};
  return Object.fromEntries(Object.entries(found).map(([name, value]) => [name, decodeURIComponent(value)]));
}

/**
 * The request path with every parameter percent-encoded, UUIDs in lower case, and its query. Throws a RangeError if a parameter is
 * missing or not safe (see {@link pathParameterProblem}).
 */
export function buildPath(
  operation: Pick<Operation, 'path'>,
  parameters: Readonly<Record<string, string>>,
  query: Readonly<Record<string, string>> = {},
): string {
  const path = operation.path.replace(pathParameter, (_, name: string) => {
    const value = parameters[name] ?? '';
    const problem = pathParameterProblem(value);
    if (problem !== null) throw new RangeError(`${name} ${problem}`);
    return encodeURIComponent(canonicalId(value));
  });
  const text = new URLSearchParams(query).toString();
  return text === '' ? path : `${path}?${text}`;
}

/** A UUID in any letter case. */
export const uuidPattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** A UUID in lower case, so that the history knows it as the same object however it was written. Others unchanged. */
export function canonicalId(id: string): string {
  return uuidPattern.test(id) ? id.toLowerCase() : id;
}

/**
 * The path of a request as {@link buildPath} writes it, so that two requests for the same have the same path however they were
 * typed: without query, path parameters after a `;` and empty segments, with no more escapes than needed, and UUIDs in lower case.
 */
export function canonicalPath(path: string): string {
  const [plain = ''] = path.split(/[?#]/);
  const segments = plain.split('/').map((segment) => canonicalSegment(segment.replace(/;.*/, '')));
  return `/${segments.filter((segment) => segment !== '').join('/')}`;
}

function canonicalSegment(segment: string): string {
  try {
    return encodeURIComponent(canonicalId(decodeURIComponent(segment)));
  } catch {
    // Escapes that are no UTF-8 stay.
    return segment.replace(/%[\da-f]{2}/gi, (escaped) => escaped.toUpperCase());
  }
}

/**
 * Why `value` cannot be a path parameter, or null if it can.
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
