import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** What the receiver does with one message. */
export type Reaction =
  | {
      readonly does: 'answer';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** Takes the message and never answers. */
  | { readonly does: 'hang' }
  /** Takes the message and resets the connection. */
  | { readonly does: 'reset' }
  /** Answers with 200 and a body without end. */
  | { readonly does: 'flood' }
  /** Takes the message, and answers with 200 when the promise resolves. */
  | { readonly does: 'wait'; readonly until: Promise<unknown> };

export const taken: Reaction = { does: 'answer', status: 200, body: '{"id":"1"}' };

export const status = (
  code: number,
  headers: Readonly<Record<string, string>> = {},
  body = '{}',
): Reaction => ({ does: 'answer', status: code, headers, body });

interface ReceivedMessage {
  readonly webhook: string;
  /** Path and query. */
  readonly path: string;
  readonly eventId: string;
  readonly title: string;
  readonly description: string;
  /** The header. */
  readonly traceparent: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies whose shape is what they test
  readonly body: any;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface DiscordReceiver {
  /** For `--delivery-sink`. */
  readonly url: string;
  /** All messages in order of arrival; those to one webhook if its id is given. */
  messages(webhook?: string): readonly ReceivedMessage[];
  /** Titles of the messages to one webhook, in order of arrival. */
  titles(webhook: string): string[];
  /** How the webhook with this id reacts from now on: the last reaction stays. Without a script it accepts everything. */
  script(webhook: string, reactions: readonly Reaction[]): void;
  /** Resolves when this many messages have come in all, or to one webhook. */
  received(count: number, webhook?: string): Promise<void>;
}

/** Plays Discord on a free loopback port: refuses with 400 what Discord would refuse. Closed after the test. */
export async function startDiscordReceiver(): Promise<DiscordReceiver> {
  const messages: ReceivedMessage[] = [];
  const scripts = new Map<string, Reaction[]>();
  const waiting = new Set<() => void>();
  const sockets = new Set<Socket>();
  const of = (webhook?: string) =>
    webhook === undefined ? messages : messages.filter((message) => message.webhook === webhook);

  const server = createServer(async (request, response) => {
    const message = await readMessage(request);
    if (message === null) {
      response.writeHead(400).end('{"code":50035,"message":"Invalid Form Body"}');
      return;
    }
    messages.push(message);
    const script = scripts.get(message.webhook) ?? [taken];
    react(response, (script.length > 1 ? script.shift() : script[0]) ?? taken);
    for (const look of waiting) look();
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(() => resolve()));
  });

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    messages: of,
    titles: (webhook) => of(webhook).map(({ title }) => title),
    script(webhook, reactions) {
      scripts.set(webhook, [...reactions]);
    },
    received: (count, webhook) =>
      new Promise((resolve) => {
        const look = () => {
          if (of(webhook).length < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}

function react(response: ServerResponse, reaction: Reaction): void {
  switch (reaction.does) {
    case 'answer':
      response.writeHead(reaction.status, reaction.headers).end(reaction.body);
      return;
    case 'hang':
      return;
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'flood': {
      response.writeHead(200);
      const pour = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', pour);
      pour();
      return;
    }
    case 'wait':
      void reaction.until.then(() => react(response, taken));
  }
}

/** Null for what Discord does not take. */
async function readMessage(request: IncomingMessage): Promise<ReceivedMessage | null> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const path = request.url ?? '';
  const [, webhook] = /^\/api(?:\/v\d+)?\/webhooks\/(\d+)\/[\w-]+\?wait=true$/.exec(path) ?? [];
  if (request.method !== 'POST' || webhook === undefined) return null;
  if (request.headers['content-type'] !== 'application/json') return null;
  const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  const [embed, ...others] = body.embeds;
  const isTooLong = [...embed.title].length > 256 || [...embed.description].length > 4096;
  if (others.length > 0 || isTooLong || body.allowed_mentions.parse.length > 0) return null;
  const eventId = /[0-9a-f-]{36}/.exec(embed.footer.text)?.[0] ?? '';
  const { title, description } = embed;
  const traceparent = request.headers.traceparent?.toString();
  return { webhook, path, eventId, title, description, traceparent, body, at: Date.now() };
}
