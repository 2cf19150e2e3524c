import type { Precondition } from '../model/canonical-json.ts';
import { ServiceError } from '../model/errors.ts';

/** A request, however it came in. */
export interface HttpRequest {
  readonly method: string;
  /** As sent, without query. */
  readonly path: string;
  /** Value of a header field by its name in lower case. */
  header(name: string): string | undefined;
  /**
   * The whole body. Throws a `too_large` refusal as soon as it is known to be longer than `maxBytes`, and
   * `malformed_json` when the client goes away before its end.
   */
  readBody(maxBytes: number): Promise<Uint8Array>;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** Answers every request, with a refusal where it cannot do more. */
export type HttpHandler = (request: HttpRequest) => Promise<HttpAnswer>;

/** Throws an `unsupported_media_type` refusal unless the body is JSON in UTF-8, and not compressed. */
export function requireJson({ header }: Pick<HttpRequest, 'header'>): void {
  const contentType = header('content-type');
  if (!/^(identity)?$/i.test(header('content-encoding') ?? '')) {
    throw new ServiceError('unsupported_media_type', 'Send the body without Content-Encoding.', {
      // RFC 9110, section 15.5.16: the codings that would have been taken.
      headers: { 'Accept-Encoding': 'identity' },
    });
  }
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

export function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError('too_large', `The body may have ${maxBytes} bytes.`);
}

export function cutOff(): ServiceError {
  return new ServiceError('malformed_json', 'The body ended early.');
}
