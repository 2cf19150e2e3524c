import type { Precondition } from '../model/canonical-json.ts';
import { ServiceError } from '../model/errors.ts';

/** A request, independent of the server. */
export interface HttpRequest {
  readonly method: string;
  /** Not decoded, without query. */
  readonly path: string;
  /** Whether the server is about to stop. */
  readonly isStopping: boolean;
  /** Value of a header by its name in lower case. */
  header(name: string): string | undefined;
  /**
   * The whole body. Rejects with `too_large` as soon as it is longer than `maxBytes`, and with `malformed_json` if the
   * connection closes before its end.
   */
  readBody(maxBytes: number): Promise<Uint8Array>;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** Answers a request. It never rejects. */
export type HttpHandler = (request: HttpRequest) => Promise<HttpAnswer>;

/** Throws `unsupported_media_type` unless the body is uncompressed JSON in UTF-8. */
export function requireJson({ header }: Pick<HttpRequest, 'header'>): void {
  const contentType = header('content-type');
  if (!/^(identity)?$/i.test(header('content-encoding') ?? '')) {
    throw new ServiceError('unsupported_media_type', 'Send the body without Content-Encoding.', {
      // RFC 9110, section 15.5.16: the accepted codings.
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
  return new ServiceError('too_large', `The body can have at most ${maxBytes} bytes.`);
}

export function incompleteBody(): ServiceError {
  return new ServiceError('malformed_json', 'The body is incomplete.');
}
