import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { monotonicMs } from '../../../base/clock.ts';
import { busy, ServiceError } from '../../model/errors.ts';
import { createRefusals, type RefusalOptions, toRefusal } from './refusals.ts';

/** A client that sends requests without waiting for responses can have this many of them unanswered. */
const maxUnanswered = 16;

/** For how long a server that stops accepts connections that come without a pause. */
const maxAcceptMs = 1_000;

interface Connection {
  /** Answers that have not been sent, in the order of their requests. */
  readonly unanswered: Set<ServerResponse>;
  /** The client has sent something that is not HTTP. */
  isBroken: boolean;
  /** Waits for the responses to earlier requests, and is the last response. */
  refusal: ServiceError | undefined;
}

/** Refuses what Node's parser refuses, and tracks which connections are idle. */
export function watchConnections(server: Server, options: RefusalOptions) {
  // Node's own list of idle connections lacks those without a request so far, and has those whose last response is not
  // sent yet.
  const connections = new Map<Socket, Connection>();
  const refusals = createRefusals(options);
  let isClosing = false;
  /** How many there have been. */
  let accepted = 0;

  server.on('connection', (socket) => {
    accepted += 1;
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
      // For good: Node resumes a connection after each response.
      socket.on('resume', () => socket.pause());
      socket.pause();
      return false;
    }
    unanswered.add(response);
    response.on('close', () => {
      unanswered.delete(response);
      if (unanswered.size > 0) return;
      if (connection.refusal !== undefined) refusals.writeTo(socket, connection.refusal);
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
    if (latest === undefined) refusals.writeTo(socket, refusal);
    else if (latest.complete) connection.refusal = refusal;
    // The reader of the body answers.
    else if (latest.listenerCount('error')) latest.emit('error', refusal);
  });

  server.on('checkExpectation', (request, response) => {
    if (!admit(request, response)) return;
    // The client has not sent the body and may continue with the next request.
    const detail = 'The only supported expectation is 100-continue';
    refusals.answer(request, response, new ServiceError('expectation_failed', detail));
  });

  return {
    admit,
    /** Answers a request that was admitted. */
    refuse: refusals.answer,
    /** Whether no other request of the connection waits for its response. */
    isLastRequest: (socket: Socket) => (connections.get(socket)?.unanswered.size ?? 0) <= 1,
    /**
     * Accepts the connections that the kernel has set up already: closing the server resets them, though a request may be on its
     * way. Node accepts one in each turn of the event loop, so there are none left after two turns without any.
     */
    async acceptPending(): Promise<void> {
      const deadline = monotonicMs() + maxAcceptMs;
      for (let quietTurns = 0; quietTurns < 2 && monotonicMs() < deadline; ) {
        const before = accepted;
        await nextTurn();
        quietTurns = accepted === before ? quietTurns + 1 : 0;
      }
    },
    /** Closes idle connections, and each of the others after its last response. */
    close() {
      isClosing = true;
      for (const [socket, { unanswered }] of connections) if (unanswered.size === 0) socket.destroySoon();
    },
    /** Closes connections whose client is late: its request has not arrived, or it does not read its response. */
    closeLate() {
      for (const [socket, { unanswered }] of connections) {
        if ([...unanswered].some(({ req, writableEnded }) => req.complete && !writableEnded)) continue;
        if (socket.writableEnded) socket.destroy();
        else socket.destroySoon();
      }
    },
  };
}
