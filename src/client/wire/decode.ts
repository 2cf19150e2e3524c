import { promisify } from 'node:util';
import { WireError } from './connect.ts';

/** Most bytes of a response body, as sent and as decoded. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;

export function bodyTooLarge(): WireError {
  return new WireError('body_too_large', 'the response is larger than 8 MiB');
}

/**
 * Decodes a body by its `Content-Encoding`. This client does not ask for compression, but some servers and proxies compress anyway. Rejects
 * with a {@link WireError} if the bytes are damaged, too many, or in an unknown coding.
 */
export async function decodeBody(body: Buffer, contentEncoding: string): Promise<Buffer> {
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  let bytes = body;
  for (const coding of codings.reverse()) {
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
