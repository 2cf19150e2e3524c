import { PassThrough } from 'node:stream';
import {
  Client,
  type ClientOptions,
  type JSONRPCMessage,
  ReadBuffer,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { isObject } from '../../../src/base/json.ts';
import { main } from '../../../src/cli/main.ts';
import type { Machine } from '../../helpers/cli.ts';

/** The structured content of an answer, and its text. */
interface ToolAnswer {
  readonly ok: boolean;
  readonly outcome?: string;
  readonly historyId?: string;
  readonly next?: string;
  readonly error?: Record<string, unknown>;
  readonly untrusted: {
    readonly data?: unknown;
    readonly error?: Record<string, unknown>;
    readonly question?: string;
  };
  readonly text: string;
}

export interface McpSession {
  readonly client: Client;
  call(
    name: string,
    inputs?: Record<string, unknown>,
    options?: { signal?: AbortSignal },
  ): Promise<ToolAnswer>;
  /** Ends standard input; resolves with the exit code. */
  end(): Promise<number>;
  /** As SIGTERM. */
  terminate(): Promise<number>;
  stdout(): string;
  stderr(): string;
}

/** `storectl mcp` inside this process, driven by the official client. */
export async function startMcp(
  { folder, configDirectory, stateDirectory }: Machine,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  options: ClientOptions = {},
): Promise<McpSession> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const written = { stdout: '', stderr: '' };
  stdout.on('data', (chunk) => (written.stdout += chunk));
  stderr.on('data', (chunk) => (written.stderr += chunk));
  const controller = new AbortController();
  const ended = main(['mcp', ...args], {
    stdin,
    stdout,
    stderr,
    cwd: folder,
    process,
    homeDirectory: folder,
    signal: controller.signal,
    env: { STORECTL_CONFIG_DIR: configDirectory, STORECTL_STATE_DIR: stateDirectory, ...env },
  });
  onTestFinished(async () => {
    stdin.end();
    await ended;
  });
  const client = new Client({ name: 'test', version: '1' }, options);
  await client.connect(streamTransport(stdout, stdin));
  return {
    client,
    async call(name, inputs = {}, control = {}) {
      const { content, structuredContent } = await client.callTool({ name, arguments: inputs }, control);
      const [first] = content;
      const text = first?.type === 'text' ? first.text : '';
      return { untrusted: {}, ...(isObject(structuredContent) ? structuredContent : {}), text } as ToolAnswer;
    },
    end() {
      stdin.end();
      return ended;
    },
    terminate() {
      controller.abort();
      return ended;
    },
    stdout: () => written.stdout,
    stderr: () => written.stderr,
  };
}

function streamTransport(from: PassThrough, to: PassThrough): Transport {
  const buffer = new ReadBuffer();
  const transport: Transport = {
    async start() {
      from.on('data', (chunk: Buffer) => {
        buffer.append(chunk);
        for (let message = buffer.readMessage(); message !== null; message = buffer.readMessage()) {
          transport.onmessage?.(message);
        }
      });
      from.on('end', () => transport.onclose?.());
    },
    async send(message: JSONRPCMessage) {
      if (to.writableEnded) throw new Error('the session has ended');
      to.write(serializeMessage(message));
    },
    async close() {
      to.end();
      transport.onclose?.();
    },
  };
  return transport;
}
