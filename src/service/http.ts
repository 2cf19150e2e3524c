import type { Precondition } from './canonical-json.ts';
import { ServiceError } from './errors.ts';

/**
 * The whole body. Throws a `too_large` refusal as soon as it is known to be longer than `maxBytes`, and
 * `malformed_json` when the client goes away before its end.
 */
export async function readBody(
  request: Request,
  source: AsyncIterable<Uint8Array> | undefined,
  maxBytes: number,
): Promise<Uint8Array> {
  if (Number(request.headers.get('Content-Length')) > maxBytes) throw tooLarge(maxBytes);
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of source ?? request.body ?? []) {
      length += chunk.length;
      if (length > maxBytes) break;
      chunks.push(chunk);
    }
  } catch {
    throw new ServiceError('malformed_json', 'The body ended early.');
  }
  if (length > maxBytes) throw tooLarge(maxBytes);
  return Buffer.concat(chunks, length);
}

/** Throws an `unsupported_media_type` refusal unless the Content-Type is JSON in UTF-8. */
export function requireJson(contentType: string | undefined): void {
  if (!/^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(contentType ?? '')) {
    throw new ServiceError('unsupported_media_type', 'Send Content-Type: application/json.');
  }
}

/** Reads If-Match (RFC 9110, section 13.1.1): no header, `*`, or a list of strong entity tags. */
export function parseIfMatch(header: string | undefined): Precondition {
  if (header === undefined || header.trim() === '*') return () => true;
  const tags = new Set(header.split(',').map((tag) => tag.trim()));
  return (version) => tags.has(`"${version}"`);
}

function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError('too_large', `The body may have ${maxBytes} bytes.`);
}
