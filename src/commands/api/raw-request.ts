import * as z from 'zod/mini';
import { nearestFirst } from '../../base/nearest-name.ts';
import { inputNeeded } from '../../cli/command/input-needed.ts';
import { type CliError, usageError } from '../../cli/core/errors.ts';
import { argumentValue, type ParsedCommand } from '../../cli/core/parsed-command.ts';
import { type HttpMethod, type Operation, pathParameterProblem } from '../../contract/operation.ts';
import { operations } from '../../contract/operations.ts';
import { rawOperationId } from '../../history/journal/history-record.ts';

export type RawMethod = HttpMethod | 'HEAD';

export const rawMethods: readonly RawMethod[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Method (default GET) and path of a raw request, `{store}` in it. Throws exit 3 without a path. */
export function readRequestLine(parsed: ParsedCommand): { method: RawMethod; target: string } {
  const first = argumentValue(parsed, 'method');
  const second = argumentValue(parsed, 'path');
  const isPath = second === undefined && first?.includes('/');
  const [method, path] = isPath ? ['GET', first] : [first, second];
  if (method === undefined || path === undefined) {
    const description = 'for example /v1/stores/{store}/operations/settings';
    throw inputNeeded([{ field: 'path', give: '<path>', description }]);
  }
  const target = path.replace(/^v1\//, '/v1/');
  checkRawPath(target);
  return { method: parseMethod(method), target };
}

/** The method in upper case. Throws a usage error for an unsupported one. */
function parseMethod(text: string): RawMethod {
  const method = rawMethods.find((name) => name === text.toUpperCase());
  if (method !== undefined) return method;
  throw usageError(
    `"${text}" is not a supported method`,
    `use one of ${rawMethods.join(', ')}; the method comes before the path`,
  );
}

/** Throws a usage error for a path that could leave the base URL or that cannot be sent. */
function checkRawPath(text: string): void {
  if (/^[A-Za-z]:[/\\]/.test(text)) {
    throw refusedPath(text, 'is a Windows path', 'Git Bash turns /v1 into one: set MSYS_NO_PATHCONV=1');
  }
  if (!text.startsWith('/')) {
    throw refusedPath(
      text,
      'does not start with a slash',
      'give the path below the base URL, for example /v1/stores/{store}/operations/settings',
    );
  }
  if (text.startsWith('//'))
    throw refusedPath(text, 'starts with two slashes, which would name another host');
  const filled = fillStore(text, 'store');
  if (filled.includes('\\')) throw refusedPath(text, 'has a backslash');
  if (filled.includes('#')) throw refusedPath(text, 'has a fragment (#), which is never sent');
  if (/[{}]/.test(filled)) {
    throw refusedPath(text, 'has braces', 'only {store} is filled in; write braces as %7B and %7D');
  }
  if (!/^[\x21-\x7e]*$/.test(filled)) {
    throw refusedPath(text, 'has spaces or other characters that must be percent-encoded');
  }
  const [pathname = ''] = filled.split('?');
  for (const segment of pathname.split('/').slice(1)) {
    const plain = decode(segment);
    if (plain === null) throw refusedPath(text, 'has a percent sign that encodes nothing', 'write it as %25');
    const problem = plain === '' ? null : pathParameterProblem(plain);
    if (problem !== null) throw refusedPath(text, `has a part, "${segment}", which ${problem}`);
  }
}

/** A path that passed {@link checkRawPath}, with the store in use in it. */
export function fillStore(path: string, storeId: string): string {
  return path.replaceAll('{store}', encodeURIComponent(storeId));
}

function refusedPath(text: string, reason: string, hint = 'use a path such as /v1/…'): CliError {
  return usageError(`the path "${text}" ${reason}`, hint, { code: 'invalid_path' });
}

function decode(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

/** Adds `name=value` pairs to the query of a path. Throws a usage error for anything else. */
export function addQuery(path: string, fields: readonly string[]): string {
  return fields.reduce((result, field) => {
    const at = field.indexOf('=');
    if (at < 1) throw usageError(`--field must be name=value (got "${field}")`);
    const pair = [field.slice(0, at), field.slice(at + 1)].map(encodeURIComponent).join('=');
    return `${result}${result.includes('?') ? '&' : '?'}${pair}`;
  }, path);
}

/** The contract's operation with this method and path, or undefined. A path with a query matches none. */
export function matchOperation(method: RawMethod, path: string): Operation | undefined {
  const parts = path.split('/');
  return operations.find((operation) => {
    const template = operation.path.split('/');
    return (
      operation.method === method &&
      template.length === parts.length &&
      !path.includes('?') &&
      template.every((name, index) => (name.startsWith('{') ? parts[index] !== '' : name === parts[index]))
    );
  });
}

/** Where a path belongs that the contract does not name: the nearest paths for the method. Null for one that it names. */
export function hintOfUnknownPath(method: RawMethod, path: string): string | null {
  if (rawMethods.some((name) => matchOperation(name, path) !== undefined)) return null;
  const wanted = path.replace(/^(\/v1\/stores\/)[^/?]+/, '$1{store}');
  const paths = operations
    .filter((operation) => operation.method === (method === 'HEAD' ? 'GET' : method))
    .map((operation) => operation.path.replace('{storeId}', '{store}'));
  const known = nearestFirst(paths, wanted).slice(0, 2).join(' or ');
  return `${known === '' ? '' : `did you mean ${known}? `}run \`storectl api --help\` for examples`;
}

/** The store id in a path, or null. */
export function storeOf(path: string): string | null {
  const [, id] = /^\/v1\/stores\/([^/?]+)/.exec(path) ?? [];
  return id === undefined ? null : decode(id);
}

/** A change outside of the contract. Its effect is unknown, so it is never sent twice. */
export function rawChange(method: HttpMethod, path: string): Operation {
  return {
    id: rawOperationId,
    method,
    path,
    summary: 'Another request',
    class: 'one-shot',
    body: null,
    response: z.looseObject({}),
  };
}
