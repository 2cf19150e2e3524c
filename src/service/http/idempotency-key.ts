import { additionHeaders } from '../../contract/headers.ts';
import { invalidField } from '../model/errors.ts';
import type { HttpRequest } from './http-message.ts';

const { idempotencyKey: name } = additionHeaders;
const lowerCaseName = name.toLowerCase();

/** The key in the header `Idempotency-Key`, which may be in quotes. Null if there is none that can be used. */
export function keyIn({ header }: Pick<HttpRequest, 'header'>): string | null {
  const value = header(lowerCaseName)?.trim();
  if (value === undefined) return null;
  const key = /^".*"$/.test(value) ? value.slice(1, -1) : value;
  return /^[!-~]{1,255}$/.test(key) ? key : null;
}

/** The key, or undefined without the header. Throws `validation_failed` for one that cannot be used. */
export function requireUsableKey(request: Pick<HttpRequest, 'header'>): string | undefined {
  const key = keyIn(request);
  if (key !== null) return key;
  if (request.header(lowerCaseName) === undefined) return undefined;
  const detail = 'must be 1 to 255 printable ASCII characters without spaces';
  throw invalidField(`/${name}`, 'invalid_format', detail);
}
