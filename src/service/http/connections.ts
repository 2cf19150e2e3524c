import { randomUUID } from 'node:crypto';
import {
  type IncomingMessage,
  maxHeaderSize,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import { busy, ServiceError } from '../model/errors.ts';
import { peerOf } from './client-address.ts';
import type { HttpAnswer } from './http-message.ts';
import { toProblem } from './problem.ts';

/** How long the rest of a refused body may take to arrive, so that its sender can read the answer. */
const drainMs = 500;

/** A client that sends requests without waiting for answers can have this many of them unanswered. */
const maxUnanswered = 16;

interface Connection {
  /** Answers that have not been sent, in the order of their requests. */
  readonly unanswered: Set<ServerResponse>;
  /** The client has sent something that is not HTTP. */
  isBroken: boolean;
  /** Waits for the answers to earlier requests, and is the last answer. */
  refusal: ServiceError | undefined;
}

export interface ConnectionOptions {
  readonly log: (line: object) => void;
  readonly addressOf: (request: IncomingMessage) => string;
}

/**
 * Answers requests that Node's parser refuses with problem details, like all others, and tracks which connections are
 * idle.
 */
export function watchConnections(server: Server, { log, addressOf }: ConnectionOptions) {
  // Node's own list of idle connections lacks those without a request so far, and has those whose last answer is not
  // sent yet.
  const connections = new Map<Socket, Connection>();
  let isClosing = false;

  server.on('connection', (socket) => {
    connections.set(socket, { unanswered: new Set(), isBroken: false, refusal: undefined });
    socket.once('close', () => connections.delete(socket));
  });

  /** Whether the request is answered. Otherwise nothing may be done with it. */
  function admit({ socket }: IncomingMessage, response: ServerResponse): boolean {
    const connection = connections.get(socket);
    if (connection === undefined || connection.refusal !== undefined) return false;
    const { unanswered } = connection;
    if (unanswered.size >= maxUnanswered) {
      connection.refusal = busy(`A connection can have at most ${maxUnanswered} unanswered requests`);
      stopReading(socket);
      return false;
    }
    unanswered.add(response);
    response.on('close', () => {
      unanswered.delete(response);
      if (unanswered.size > 0) return;
      if (connection.refusal !== undefined) refuse(socket, connection.refusal);
      else if (isClosing || connection.isBroken) socket.end();
    });
    return true;
  }

  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const connection = connections.get(socket);
    if (connection === undefined || connection.isBroken) return;
    connection.isBroken = true;
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy(error);
      return;
    }
    if (connection.refusal !== undefined) return;
    const refusal = toRefusal(error);
    const latest = [...connection.unanswered].at(-1)?.req;
    if (latest === undefined) refuse(socket, refusal);
    else if (latest.complete) connection.refusal = refusal;
    // The reader of the body answers.
    else if (latest.listenerCount('error')) latest.emit('error', refusal);
  });

  server.on('checkExpectation', (request, response) => {
    if (!admit(request, response)) return;
    // The client has not sent the body and may continue with the next request.
    const detail = 'The only supported expectation is 100-continue';
    answerWith(request, response, new ServiceError('expectation_failed', detail));
  });

  function refuse(socket: Socket, refusal: ServiceError): void {
    const { status, headers, body } = answerUnread(refusal, peerOf(socket));
    const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...fields, '', body].join('\r\n'));
    const timer = setTimeout(() => socket.destroy(), drainMs);
    socket.once('close', () => clearTimeout(timer));
  }

  function answerWith(request: IncomingMessage, response: ServerResponse, refusal: ServiceError): void {
    const { status, headers, body } = answerUnread(refusal, addressOf(request));
    response.writeHead(status, headers).end(body);
    if (!request.complete) drain(request);
  }

  /** The answer to a request that does not reach the app. */
  function answerUnread(refusal: ServiceError, clientAddress: string): HttpAnswer {
    const requestId = randomUUID();
    const { code, status, headers, body } = toProblem(refusal, requestId);
    const unknown = { storeId: null, keyId: null, clientAddress };
    log({ level: 'info', method: null, route: 'none', status, code, ms: 0, requestId, ...unknown });
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
    admit,
    answerWith,
    /** Whether no other request of the connection waits for its answer. */
    isLastRequest: (socket: Socket) => (connections.get(socket)?.unanswered.size ?? 0) <= 1,
    /** Closes idle connections, and each of the others after its last answer. */
    close() {
      isClosing = true;
      for (const [socket, { unanswered }] of connections) if (unanswered.size === 0) socket.destroySoon();
    },
    /** Closes connections whose client is late: its request has not arrived, or it does not read its answer. */
    closeLate() {
      for (const [socket, { unanswered }] of connections) {
        if ([...unanswered].some(({ req, writableEnded }) => req.complete && !writableEnded)) continue;
        if (socket.writableEnded) socket.destroy();
        else socket.destroySoon();
      }
    },
  };
}

/** For good: Node resumes a connection after each answer. */
function stopReading(socket: Socket): void {
  socket.on('resume', () => socket.pause());
  socket.pause();
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
      return new ServiceError('headers_too_large', `The headers can have at most ${maxHeaderSize} bytes`);
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ServiceError('too_large', 'The chunk extensions are too long');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ServiceError('request_timeout', 'The request did not arrive in time. Nothing was changed');
    default:
      return new ServiceError('malformed_request', message);
  }
}
