import type { Socket } from 'node:net';

/** Longer heads are not held back: undici refuses them. */
const MAX_HEAD_BYTES = 16 * 1024;
const END_OF_HEAD = '\r\n\r\n';

/**
 * Makes the socket skip interim responses (1xx, RFC 9110, section 15.2) before the final one. Undici closes the connection
 * at an unrequested `100 Continue`, although the final response follows. Returns a function to be called before
 * each request.
 */
export function skipInterimResponses(socket: Socket): () => void {
  const read = socket.read.bind(socket);
  /** What came before the final response has begun, then null. */
  let held: Buffer | null = Buffer.alloc(0);

  socket.read = () => {
    const chunk: unknown = read();
    if (!Buffer.isBuffer(chunk) || held === null) return chunk;
    held = withoutInterim(Buffer.concat([held, chunk]));
    if (mayBeInterim(held)) return null;
    const response = held;
    held = null;
    return response;
  };
  return () => {
    held = Buffer.alloc(0);
  };
}

function withoutInterim(bytes: Buffer): Buffer {
  let rest = bytes;
  for (;;) {
    const end = isInterim(rest) ? rest.indexOf(END_OF_HEAD) : -1;
    if (end === -1) return rest;
    rest = rest.subarray(end + END_OF_HEAD.length);
  }
}

/** 101 is left to undici: nothing here asks to switch protocols. */
function isInterim(bytes: Buffer): boolean {
  return /^HTTP\/1\.[01] 1(?!01)\d\d/.test(bytes.toString('latin1', 0, 12));
}

/** True while the bytes are the beginning of an interim response, or too few to tell. */
function mayBeInterim(bytes: Buffer): boolean {
  if (bytes.length > MAX_HEAD_BYTES) return false;
  return isInterim(bytes) || (bytes.length < 12 && 'HTTP/1.1 1'.startsWith(bytes.toString('latin1', 0, 10)));
}
