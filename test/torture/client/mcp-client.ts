import type { ChildProcess } from 'node:child_process';
import type { Json } from '../operations.ts';

/** What an assistant wants. */
export interface ToolCall {
  readonly tool: string;
  readonly inputs: Json;
  /** What the person at the assistant types where a confirmation is asked for. */
  readonly confirm: string;
}

/** The result as a command would have ended. */
interface ToolEnd {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const object = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});

/**
 * Speaks to `storectl mcp` over its standard input and output: one session, one call. Empty where the server was killed before
 * it answered.
 */
export function callTool(
  server: ChildProcess,
  { tool, inputs, confirm }: ToolCall,
): Promise<Partial<ToolEnd>> {
  const { stdin, stdout } = server;
  const send = (message: Json) => void stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  // It may be killed before it has read.
  stdin?.on('error', () => {});
  return new Promise((resolve) => {
    let text = '';
    let result: Partial<ToolEnd> = {};
    stdout?.on('data', (chunk: string) => {
      text += chunk;
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) answer(JSON.parse(line));
    });
    server.on('close', () => resolve(result));

    function answer(message: Json): void {
      if (message.id === 'initialize') {
        send({ method: 'notifications/initialized' });
        send({ id: 'call', method: 'tools/call', params: { name: tool, arguments: inputs } });
      } else if (message.method === 'elicitation/create') {
        send({ id: message.id, result: { action: 'accept', content: { id: confirm } } });
      } else if (message.id === 'call') {
        result = endOf(message);
        stdin?.end();
      }
    }

    send({
      id: 'initialize',
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: { elicitation: {} },
        clientInfo: { name: 'torture', version: '1' },
      },
    });
  });
}

const exitCodes: Readonly<Record<string, number>> = { applied: 0, unknown: 10, rejected: 7 };

function endOf(message: Json): ToolEnd {
  const content = object(object(message.result).structuredContent);
  const untrusted = object(content.untrusted);
  const error = object(content.error ?? untrusted.error);
  const { outcome, historyId } = content;
  const code = String(error.code ?? 'none');
  const isThrottled = outcome === 'rejected' && (error.status === 425 || error.status === 429);
  const exitOfFailure = isThrottled ? 8 : (exitCodes[String(outcome)] ?? exitOfRefusal(code));
  const exitCode = content.ok ? 0 : exitOfFailure;
  const shown = { error: { ...error, outcome, operationId: historyId } };
  return {
    exitCode: message.error === undefined ? exitCode : 1,
    stdout: content.ok ? JSON.stringify(untrusted.data ?? null) : '',
    stderr: exitCode === 0 ? '' : `${JSON.stringify(shown)}\n`,
  };
}

/** Of what was not sent. */
function exitOfRefusal(code: string): number {
  if (code.startsWith('history_') || code === 'disk_full') return 11;
  if (code === 'already_sent') return 6;
  return code === 'idempotency_key_reused' ? 2 : 9;
}
