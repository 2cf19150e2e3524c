import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What happens to one request. */
export type Passage =
  /** Passed on, and so is the answer. */
  | 'pass'
  /** Passed on; when the service has answered, and so has committed, the connection is reset without an answer. */
  | 'drop'
  /** Never passed on: the connection is reset. */
  | 'lose'
  /** Passed on and answered; the answer is held back until the promise resolves. */
  | { readonly holdUntil: Promise<unknown> }
  /** Not passed on until the promise resolves. */
  | { readonly waitFor: Promise<unknown> }
  /** Answered in place of the service, which never sees it. */
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    };

interface PassedRequest {
  readonly method: string;
  readonly path: string;
  /** As sent, names and values in turn. */
  readonly rawHeaders: readonly string[];
  readonly body: string;
  /** Request line, headers and body as they were sent. */
  readonly bytes: string;
  /** Epoch milliseconds at which the whole request was there. */
  readonly at: number;
  /** Status with which the service answered, or null. */
  readonly status: number | null;
}

export interface LossyProxy {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  /** In order of arrival. */
  readonly requests: readonly PassedRequest[];
  /** All but reads. */
  writes(): readonly PassedRequest[];
  /** Resolves when `count` requests have come, and the service has answered those that were passed on. */
  received(count: number): Promise<void>;
  /** Decides from now on. `number` counts all requests, from 1. */
  decide(passage: Decide): void;
}

type Decide = (request: Omit<PassedRequest, 'status'>, number: number) => Passage;

/** What a gateway removes: headers that it does not know. */
export type Hidden = 'of requests' | 'of responses' | 'of both';

const hiddenHeaders = ['idempotency-key', 'service-features', 'idempotency-kept', 'idempotency-replayed'];

function withoutHidden(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hiddenHeaders.includes(name)));
}

/**
 * An HTTP forwarder on loopback in front of `target`; it passes everything on until told otherwise, but for the headers that it
 * hides.
 */
export async function startLossyProxy(
  target: string,
  decide: Decide = () => 'pass',
  hides: Hidden | null = null,
): Promise<LossyProxy> {
  const requests: PassedRequest[] = [];
  let settled = 0;
  let choose = decide;
  const waiting = new Set<() => void>();

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readAll(incoming);
    const { method = '', url = '', rawHeaders } = incoming;
    const headerLines = rawHeaders.reduce(
      (text, part, index) => text + part + (index % 2 === 0 ? ': ' : '\r\n'),
      '',
    );
    const bytes = `${method} ${url} HTTP/1.1\r\n${headerLines}\r\n${body}`;
    const passed = { method, path: url, rawHeaders, body: body.toString(), bytes, at: Date.now() };
    const index = requests.push({ ...passed, status: null }) - 1;
    const passage = choose(passed, index + 1);
    const done = (status: number | null) => {
      requests[index] = { ...passed, status };
      settled += 1;
      for (const look of waiting) look();
    };
    if (passage === 'lose') {
      done(null);
      incoming.socket.resetAndDestroy();
      return;
    }
    if (typeof passage === 'object' && 'status' in passage) {
      done(null);
      response.writeHead(passage.status, passage.headers).end(passage.body ?? '');
      return;
    }
    if (typeof passage === 'object' && 'waitFor' in passage) await passage.waitFor;
    const answer = await forward(target, incoming, body, hides);
    done(answer.status);
    if (passage === 'drop') {
      incoming.socket.resetAndDestroy();
      return;
    }
    if (typeof passage === 'object' && 'holdUntil' in passage) await passage.holdUntil;
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }

  const server = createServer((incoming, response) => {
    pass(incoming, response).catch(() => incoming.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    writes: () => requests.filter(({ method }) => method !== 'GET'),
    received: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (settled < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    decide(passage) {
      choose = passage;
    },
  };
}

function forward(
  target: string,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  hides: Hidden | null,
) {
  const { host: _, connection: __, ...all } = headers;
  const rest = hides === 'of requests' || hides === 'of both' ? withoutHidden(all) : all;
  return new Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }>(
    (resolve, reject) => {
      const outgoing = request(new URL(url ?? '', target), { method, headers: rest, agent: false });
      outgoing.on('error', reject);
      outgoing.on('response', (answer) => {
        const { 'transfer-encoding': ___, connection: ____, ...sent } = answer.headers;
        const kept = hides === 'of responses' || hides === 'of both' ? withoutHidden(sent) : sent;
        readAll(answer).then(
          (bytes) => resolve({ status: answer.statusCode ?? 0, headers: kept, body: bytes }),
          reject,
        );
      });
      outgoing.end(body);
    },
  );
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
