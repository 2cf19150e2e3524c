import { additionHeaders } from '../../../contract/headers.ts';
import { invalidField } from '../../model/errors.ts';

/** The key in the header `Idempotency-Key`, which may be in quotes. Null if there is none that can be used. */
export function keyIn(header: string | undefined): string | null {
  const value = header?.trim() ?? '';
  const key = /^".*"$/.test(value) ? value.slice(1, -1) : value;
  return /^[!-~]{1,255}$/.test(key) ? key : null;
}

/** The key, or undefined without the header. Throws `validation_failed` for one that cannot be used. */
export function requireUsableKey(header: string | undefined): string | undefined {
  const key = keyIn(header);
  if (key !== null) return key;
  if (header === undefined) return undefined;
  const detail = 'must be 1 to 255 printable ASCII characters without spaces';
  throw invalidField(`/${additionHeaders.idempotencyKey}`, 'invalid_format', detail);
}
