import { randomUUID } from 'node:crypto';
import {
  type IncomingMessage,
  maxHeaderSize,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import { ServiceError } from '../model/errors.ts';
import type { HttpAnswer } from './http-message.ts';
import { toProblem } from './problem.ts';

/** How long the rest of a refused body may take to arrive, so that its sender can read the answer. */
const drainMs = 500;

interface Connection {
  /** Requests without an answer: several if the client sends requests without waiting for answers. */
  running: number;
  latest: IncomingMessage | undefined;
  /** The client has sent something that is not HTTP. */
  isBroken: boolean;
  /** Waits for the answers to earlier requests. */
  refusal: ServiceError | undefined;
}

/**
 * Answers requests that Node's parser refuses with problem details, like all others, and tracks which connections are
 * idle.
 */
export function watchConnections(server: Server, log: (line: object) => void) {
  // Node's own list of idle connections lacks those without a request so far, and has those whose last answer is not
  // sent yet.
  const connections = new Map<Socket, Connection>();
  let isClosing = false;

  server.on('connection', (socket) => {
    connections.set(socket, { running: 0, latest: undefined, isBroken: false, refusal: undefined });
    socket.once('close', () => connections.delete(socket));
  });

  server.on('request', (request, response) => {
    const { socket } = request;
    const connection = connections.get(socket);
    if (connection === undefined) return;
    connection.running++;
    connection.latest = request;
    response.on('close', () => {
      connection.running--;
      if (connection.running > 0) return;
      if (connection.refusal !== undefined) refuse(socket, connection.refusal);
      else if (isClosing || connection.isBroken) socket.end();
    });
  });

  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const connection = connections.get(socket);
    if (connection === undefined || connection.isBroken) return;
    connection.isBroken = true;
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy(error);
      return;
    }
    const refusal = toRefusal(error);
    if (connection.running === 0) refuse(socket, refusal);
    else if (connection.latest?.complete) connection.refusal = refusal;
    // The reader of the body answers.
    else if (connection.latest?.listenerCount('error')) connection.latest.emit('error', refusal);
  });

  server.on('checkExpectation', (request, response) => {
    // The client has not sent the body and may continue with the next request.
    const detail = 'The only supported expectation is 100-continue.';
    answerWith(request, response, new ServiceError('expectation_failed', detail));
  });

  function refuse(socket: Socket, refusal: ServiceError): void {
    const { status, headers, body } = answerUnread(refusal);
    const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...fields, '', body].join('\r\n'));
    const timer = setTimeout(() => socket.destroy(), drainMs);
    socket.once('close', () => clearTimeout(timer));
  }

  function answerWith(request: IncomingMessage, response: ServerResponse, refusal: ServiceError): void {
    const { status, headers, body } = answerUnread(refusal);
    response.writeHead(status, headers).end(body);
    if (!request.complete) drain(request);
  }

  /** The answer to a request that does not reach the app. */
  function answerUnread(refusal: ServiceError): HttpAnswer {
    const requestId = randomUUID();
    const { status, headers, body } = toProblem(refusal, requestId);
    log({ method: null, route: 'none', status, ms: 0, requestId, storeId: null, keyId: null });
    const content = JSON.stringify(body);
    return {
      status,
      headers: {
        'Cache-Control': 'no-store',
        Connection: 'close',
        'X-Request-Id': requestId,
        'Content-Length': String(Buffer.byteLength(content)),
        ...headers,
      },
      body: content,
    };
  }

  return {
    answerWith,
    /** Whether no other request of the connection waits for its answer. */
    isLastRequest: (socket: Socket) => (connections.get(socket)?.running ?? 0) <= 1,
    /** Closes idle connections, and each of the others after its last answer. */
    close() {
      isClosing = true;
      for (const [socket, { running }] of connections) if (running === 0) socket.destroySoon();
    },
  };
}

/** Reads and drops the rest of a body, and closes the connection if that takes too long. */
export function drain(incoming: IncomingMessage): void {
  const timer = setTimeout(() => incoming.socket.destroy(), drainMs);
  incoming.once('close', () => clearTimeout(timer));
  incoming.resume();
}

function toRefusal({ code, message }: NodeJS.ErrnoException): ServiceError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ServiceError('headers_too_large', `The headers can have at most ${maxHeaderSize} bytes.`);
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ServiceError('too_large', 'The chunk extensions are too long.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ServiceError('request_timeout', 'The request did not arrive in time. Nothing was changed.');
    default:
      return new ServiceError('malformed_request', `${message}.`);
  }
}
