import { promisify } from 'node:util';
import { WireError } from './connect.ts';

/** Most bytes of a response body, as sent and as decoded. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** A gateway may compress what the service has compressed. */
const MAX_CODINGS = 2;

interface DecodeLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

export function bodyTooLarge(): WireError {
  return new WireError('body_too_large', 'the response is larger than 8 MiB');
}

/**
 * Decodes a body by its `Content-Encoding`. This client does not ask for compression, but some servers and proxies compress anyway. Rejects
 * with a {@link WireError} if the bytes are damaged, too many, in an unknown coding or in too many of them, or if that takes longer than
 * `timeoutMs` or `signal` aborts.
 */
export async function decodeBody(
  body: Buffer,
  contentEncoding: string,
  { timeoutMs, signal }: DecodeLimits,
): Promise<Buffer> {
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > MAX_CODINGS) {
    throw new WireError('unreadable_body', `the response has ${codings.length} codings in Content-Encoding`);
  }
  if (codings.length === 0 || body.length === 0) return body;
  const late = AbortSignal.timeout(Math.max(1, Math.ceil(timeoutMs)));
  const ends = AbortSignal.any(signal === undefined ? [late] : [late, signal]);
  const ended = new Promise<never>((_, reject) => {
    const end = () =>
      reject(
        late.aborted
          ? new WireError('timeout', 'the response could not be decoded in time')
          : new WireError('cancelled', 'cancelled'),
      );
    if (ends.aborted) end();
    else ends.addEventListener('abort', end, { once: true });
  });
  return Promise.race([decodeAll(body, codings.reverse()), ended]);
}

async function decodeAll(body: Buffer, codings: readonly string[]): Promise<Buffer> {
  let bytes = body;
  for (const coding of codings) {
    if (bytes.length > 0) bytes = await decode(bytes, coding);
  }
  return bytes;
}

async function decode(bytes: Buffer, coding: string): Promise<Buffer> {
  const zlib = await import('node:zlib');
  const decoders: Readonly<Record<string, typeof zlib.gunzip>> = {
    gzip: zlib.gunzip,
    'x-gzip': zlib.gunzip,
    br: zlib.brotliDecompress,
    // Some servers send the bare format under this name. The zlib format begins with a method of 8.
    deflate: ((bytes[0] ?? 0) & 0x0f) === 8 ? zlib.inflate : zlib.inflateRaw,
  };
  const decoder = decoders[coding];
  if (decoder === undefined)
    throw new WireError('unreadable_body', `unsupported Content-Encoding of the response: ${coding}`);
  try {
    return await promisify<Buffer, { maxOutputLength: number }, Buffer>(decoder)(bytes, {
      maxOutputLength: MAX_BODY_BYTES,
    });
  } catch (error) {
    if (error instanceof RangeError) throw bodyTooLarge();
    throw new WireError('unreadable_body', `the response is not valid ${coding}`);
  }
}
