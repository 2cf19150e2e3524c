import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../model/errors.ts';
import { type HttpRequest, incompleteBody, tooLarge } from './http-message.ts';

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
