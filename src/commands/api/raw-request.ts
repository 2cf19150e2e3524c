import * as z from 'zod/mini';
import { inputNeeded } from '../../cli/command/input-needed.ts';
import { usageError } from '../../cli/core/errors.ts';
import { argumentValue, type ParsedCommand } from '../../cli/core/parsed-command.ts';
import { canonicalPath, type HttpMethod, type Operation, patternOfPath } from '../../contract/operation.ts';
import { operations } from '../../contract/operations/operations.ts';
import { rawOperationId } from '../../history/record/history-record.ts';

export const rawMethods: readonly HttpMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Method (default GET) and path of a raw request, `{store}` in it. Throws exit 3 without a path. */
export function readRequestLine(parsed: ParsedCommand): { method: HttpMethod; target: string } {
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
  const known = rawMethods.find((name) => name === method.toUpperCase());
  if (known !== undefined) return { method: known, target };
  throw usageError(
    `"${method}" is not a supported method`,
    `use one of ${rawMethods.join(', ')}; the method comes before the path`,
  );
}

/** Throws a usage error for a path that would not be sent as it is typed, or that could leave the base URL. */
function checkRawPath(text: string): void {
  const filled = fillStore(text, 'store');
  const base = 'http://host';
  const url = URL.canParse(filled, base) ? new URL(filled, base) : null;
  // Servers and proxies decode a slash before they route.
  const isUnclear = /%(?![\da-f]{2})|%2f|%5c|%[01][\da-f]|%7f/i.test(filled);
  if (url?.origin === base && url.pathname + url.search === filled && !isUnclear) return;
  throw usageError(
    `"${text}" is not a path below the base URL`,
    'use a path such as /v1/stores/{store}/operations/settings, percent-encoded',
    { code: 'invalid_path' },
  );
}

/** A path that passed {@link checkRawPath}, with the store in use in it. */
export function fillStore(path: string, storeId: string): string {
  return path.replaceAll('{store}', encodeURIComponent(storeId));
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

/** The contract's operation with this method and path, however the path is written, or null. */
export function matchOperation(method: HttpMethod, path: string): Operation | null {
  const canonical = canonicalPath(path);
  const known = operations.find(
    (operation) => operation.method === method && patternOfPath(operation.path).test(canonical),
  );
  return known ?? null;
}

/** The store id in a path, or null. */
export function storeInPath(path: string): string | null {
  const [, id] = /^\/v1\/stores\/([^/]+)/.exec(canonicalPath(path)) ?? [];
  return id === undefined ? null : decodeURIComponent(id);
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
