import type { Socket } from 'node:net';

/** A request as it stood on the wire. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  /** The idempotency key in its header, or null. */
  readonly key: string | null;
  readonly ifMatch: string | null;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Calls `onRequest` with each whole request that the connection carries. Node's own server would not let a test write
 * half an answer, so this one parses by itself: HTTP/1.1 with `Content-Length`, which is all that the client sends.
 */
export function readRequests(socket: Socket, onRequest: (request: RawRequest) => void): void {
  let bytes = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (;;) {
      const end = bytes.indexOf('\r\n\r\n');
      if (end === -1) return;
      const head = bytes.subarray(0, end).toString('latin1');
      const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
      const whole = end + 4 + length;
      if (bytes.length < whole) return;
      const [method = '', path = ''] = head.split(' ');
      const body = bytes.subarray(end + 4, whole).toString();
      bytes = bytes.subarray(whole);
      const [key = null, ifMatch = null] = ['idempotency-key', 'if-match'].map(
        (name) => new RegExp(`^${name}: *(.+)$`, 'im').exec(head)?.[1],
      );
      onRequest({ method, path, body, key, ifMatch });
    }
  });
}

/** The bytes of an answer. `announced` is its `Content-Length` where that is not the body's own. */
export function answerBytes({ status, headers, body }: RawAnswer, announced?: number): Buffer {
  const bodiless = status === 204 || status === 304;
  const length = announced ?? Buffer.byteLength(body);
  const lines = [
    `HTTP/1.1 ${status} Model`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(bodiless ? [] : [`content-length: ${length}`]),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${bodiless ? '' : body}`);
}

export function informationalBytes(status: number): Buffer {
  return Buffer.from(`HTTP/1.1 ${status} Model\r\n\r\n`);
}
