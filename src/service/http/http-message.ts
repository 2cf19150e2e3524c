import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../model/errors.ts';

/** A request, independent of the server. */
export interface HttpRequest {
  readonly method: string;
  /** Not decoded, without query. */
  readonly path: string;
  /** As it stands in the URL, without the question mark. */
  readonly query: string;
  /** IP address, empty if the connection is gone. */
  readonly clientAddress: string;
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

/** A response before its headers are complete. */
export interface Content {
  readonly status: number;
  /** JSON unless a header says otherwise, null for none. One that is the same for everybody is bytes, which all share. */
  readonly body: string | Uint8Array | null;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface HttpResponse extends Content {
  readonly headers: Readonly<Record<string, string>>;
}

/** Answers a request. It never rejects. */
export type HttpHandler = (request: HttpRequest) => Promise<HttpResponse>;

/** Throws `unsupported_media_type` unless the body is uncompressed JSON in UTF-8. */
export function requireJson({ header }: Pick<HttpRequest, 'header'>): void {
  if (!/^(identity)?$/i.test(header('content-encoding') ?? '')) {
    throw new ServiceError('unsupported_media_type', 'Send the body without Content-Encoding', {
      // RFC 9110, section 15.5.16: the accepted codings.
      headers: { 'Accept-Encoding': 'identity' },
    });
  }
  if (!/^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i.test(header('content-type') ?? '')) {
    throw new ServiceError('unsupported_media_type', 'Send Content-Type: application/json');
  }
}

/** Makes {@link HttpRequest.readBody} when a request arrives, so that no failure before the first read is missed. */
export function createBodyReader(incoming: IncomingMessage): HttpRequest['readBody'] {
  const { 'content-length': contentLength, 'transfer-encoding': transferEncoding } = incoming.headers;
  if (contentLength === undefined && transferEncoding === undefined) return async () => new Uint8Array();
  let failure: ServiceError | undefined;
  let reject = (error: ServiceError) => {
    failure ??= error;
  };
  incoming.on('close', () => {
    if (!incoming.complete) reject(incompleteBody());
  });
  incoming.on('error', (error) => reject(error instanceof ServiceError ? error : incompleteBody()));

  return (maxBytes) =>
    new Promise((resolve, rejectRead) => {
      if (failure !== undefined) throw failure;
      if (Number(contentLength) > maxBytes) throw tooLarge(maxBytes);
      reject = rejectRead;
      const chunks: Uint8Array[] = [];
      let length = 0;
      const onData = (chunk: Uint8Array) => {
        length += chunk.length;
        if (length <= maxBytes) chunks.push(chunk);
        else {
          incoming.off('data', onData);
          reject(tooLarge(maxBytes));
        }
      };
      incoming.on('data', onData);
      incoming.on('end', () => resolve(Buffer.concat(chunks, Math.min(length, maxBytes))));
    });
}

export function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError('too_large', `The body can have at most ${maxBytes} bytes`);
}

function incompleteBody(): ServiceError {
  return new ServiceError('malformed_json', 'The body is incomplete');
}
