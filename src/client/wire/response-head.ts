import type { Socket } from 'node:net';

/** Bytes of all headers of a response that are read. If there are more, the longest lines are left out. */
export const MAX_HEAD_BYTES = 64 * 1024;
/** A longer head is not held back, and undici refuses it. */
const MAX_HELD_BYTES = 4 * MAX_HEAD_BYTES;
/** Lines up to this length are never left out. The headers with the length of the body are shorter. */
const MAX_SHORT_LINE = 128;
const LINE_END = '\r\n';
const END_OF_HEAD = '\r\n\r\n';

export type HeadReader = ReturnType<typeof readHeads>;

/**
 * Prepares the beginning of each response that the socket reads:
 * - Interim responses (1xx, RFC 9110, section 15.2) before the final one are skipped. Undici closes the connection at an
 *   unrequested `100 Continue`, although the final response follows.
 * - A head of more than {@link MAX_HEAD_BYTES} loses its longest lines, which are the cookies of a gateway as a rule: the
 *   status and the body still say whether the request was applied.
 */
export function readHeads(socket: Socket) {
  const read = socket.read.bind(socket);
  /** The bytes before the head of the final response is complete; then null. */
  let held: Buffer | null = Buffer.alloc(0);
  let status: number | null = null;
  let isCut = false;

  socket.read = () => {
    const chunk: unknown = read();
    if (!Buffer.isBuffer(chunk) || held === null) return chunk;
    held = withoutInterim(Buffer.concat([held, chunk]));
    if (mayBeInterim(held) || isUnfinishedHead(held)) return null;
    const response = held;
    held = null;
    status = statusOf(response);
    const end = status === null ? -1 : response.indexOf(END_OF_HEAD);
    if (end < MAX_HEAD_BYTES) return response;
    const shortened = withoutLongLines(response, end);
    isCut = shortened.length < response.length;
    return shortened;
  };
  return {
    /** To be called before each request. */
    beforeRequest(): void {
      held = Buffer.alloc(0);
      status = null;
      isCut = false;
    },
    /** The status of the response, even if undici refuses its headers. */
    status: () => status,
    /** Whether headers of the response were left out. */
    isCut: () => isCut,
  };
}

function statusOf(bytes: Buffer): number | null {
  const [, status] = /^HTTP\/1\.[01] ([1-9]\d\d)/.exec(bytes.toString('latin1', 0, 12)) ?? [];
  return status === undefined ? null : Number(status);
}

function withoutInterim(bytes: Buffer): Buffer {
  let rest = bytes;
  for (;;) {
    const end = isInterim(rest) ? rest.indexOf(END_OF_HEAD) : -1;
    if (end === -1) return rest;
    rest = rest.subarray(end + END_OF_HEAD.length);
  }
}

/** Whether the bytes begin with an interim response. 101 is left to undici, because no request asks to switch protocols. */
function isInterim(bytes: Buffer): boolean {
  return /^HTTP\/1\.[01] 1(?!01)\d\d/.test(bytes.toString('latin1', 0, 12));
}

/** True while the bytes are the beginning of an interim response, or too few to tell. */
function mayBeInterim(bytes: Buffer): boolean {
  if (bytes.length > MAX_HELD_BYTES) return false;
  return isInterim(bytes) || (bytes.length < 12 && 'HTTP/1.1 1'.startsWith(bytes.toString('latin1', 0, 10)));
}

/** Whether the head is incomplete. A head whose lines end with a line feed alone is left to undici, which refuses it. */
function isUnfinishedHead(bytes: Buffer): boolean {
  if (statusOf(bytes) === null || bytes.length > MAX_HELD_BYTES) return false;
  return !bytes.includes(END_OF_HEAD) && !bytes.includes('\n\n');
}

/** The response without the longest lines of its head, which ends at `end`, so that the head is short enough. */
function withoutLongLines(response: Buffer, end: number): Buffer {
  const [statusLine = '', ...lines] = response.toString('latin1', 0, end).split(LINE_END);
  const byLength = lines
    .map((line, index) => ({ index, length: line.length }))
    .sort((a, b) => b.length - a.length);
  const left = new Set<number>();
  let size = end;
  for (const { index, length } of byLength) {
    if (size < MAX_HEAD_BYTES || length <= MAX_SHORT_LINE) break;
    left.add(index);
    size -= length + LINE_END.length;
  }
  const kept = [statusLine, ...lines.filter((_, index) => !left.has(index))];
  return Buffer.concat([Buffer.from(kept.join(LINE_END), 'latin1'), response.subarray(end)]);
}
