import { randomUUID } from 'node:crypto';
import { type IncomingMessage, maxHeaderSize, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { additionHeaders } from '../../../contract/headers.ts';
import { ServiceError } from '../../model/errors.ts';
import type { HttpResponse } from '../http-message.ts';
import { toProblem } from '../problem.ts';
import { peerOf } from '../request/client-address.ts';

/** How long the rest of a refused body may take to arrive, so that its sender can read the response. */
const drainMs = 500;

export interface RefusalOptions {
  readonly log: (line: object) => void;
  readonly addressOf: (request: IncomingMessage) => string;
}

/** Answers requests that do not reach the app with problem details, like all others, and closes their connections. */
export function createRefusals({ log, addressOf }: RefusalOptions) {
  function responseTo(refusal: ServiceError, clientAddress: string): HttpResponse {
    const requestId = randomUUID();
    const { code, status, headers, body } = toProblem(refusal, requestId);
    const unknown = { storeId: null, keyId: null, clientAddress };
    log({ level: 'info', method: null, route: 'none', status, code, ms: 0, requestId, ...unknown });
    return {
      status,
      headers: {
        'Cache-Control': 'no-store',
        Connection: 'close',
        'X-Request-Id': requestId,
        [additionHeaders.features]: 'reads',
        'Content-Length': String(Buffer.byteLength(body)),
        ...headers,
      },
      body,
    };
  }

  return {
    /** Where Node has made no response. */
    writeTo(socket: Socket, refusal: ServiceError): void {
      const { status, headers, body } = responseTo(refusal, peerOf(socket));
      const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
      socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...fields, '', body].join('\r\n'));
      const timer = setTimeout(() => socket.destroy(), drainMs);
      socket.once('close', () => clearTimeout(timer));
    },
    answer(request: IncomingMessage, response: ServerResponse, refusal: ServiceError): void {
      const { status, headers, body } = responseTo(refusal, addressOf(request));
      response.writeHead(status, headers).end(body);
      if (!request.complete) drain(request);
    },
  };
}

/** Reads and drops the rest of a body, and closes the connection if that takes too long. */
export function drain(incoming: IncomingMessage): void {
  const timer = setTimeout(() => incoming.socket.destroy(), drainMs);
  incoming.once('close', () => clearTimeout(timer));
  incoming.resume();
}

/** What to answer to an error of Node's parser. */
export function toRefusal({ code, message }: NodeJS.ErrnoException): ServiceError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ServiceError('headers_too_large', `The headers can have at most ${maxHeaderSize} bytes`);
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ServiceError('too_large', 'The chunk extensions are too long');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ServiceError('request_timeout', 'The request did not arrive in time. Nothing was changed');
    default:
      return new ServiceError('malformed_request', message);
  }
}
