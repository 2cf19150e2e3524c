import { isObject } from '../../base/json.ts';
import { getPath } from '../../cli/core/field-path.ts';
import type { Io } from '../../cli/core/io.ts';
import { version } from '../../cli/core/version.ts';
import { markUntrusted, toResult } from './answer.ts';
import { callTool, type Inputs, isAllowed, type Session } from './call-tool.ts';
import { describeTool } from './describe-tool.ts';
import { exitCodeGuide } from './explain-exit-code.ts';
import { instructions, prompts } from './guides.ts';
import {
  buildOpenApi,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  StdioServerTransport,
  serveStdio,
} from './sdk.ts';
import { type Tool, tools } from './tools.ts';

const scheme = 'storectl://';
const historyUri = `${scheme}history/`;

/**
 * Serves the protocol on stdin and stdout until stdin ends or `io.signal` aborts. Calls that are running are then
 * cancelled, and have written their outcome to the history when it returns.
 */
export async function serve(session: Session): Promise<void> {
  const { io } = session;
  const running = new Set<Promise<unknown>>();
  const transport = new StdioServerTransport(io.stdin, io.stdout);
  const handle = serveStdio(() => createServer(session, running), { transport });
  const closed = new Promise<void>((resolve) => {
    const { onclose } = transport;
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
  });
  const stop = () => void handle.close();
  if (io.signal.aborted) stop();
  else io.signal.addEventListener('abort', stop, { once: true });
  await closed;
  await Promise.allSettled(running);
}

function createServer(session: Session, running: Set<Promise<unknown>>): Server {
  const server = new Server(
    { name: 'storectl', version },
    {
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions: instructions(session),
      // The commands check their input; nothing here is checked by a JSON schema.
      jsonSchemaValidator: {
        getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
      },
    },
  );
  const track = <Result>(work: Promise<Result>): Promise<Result> => {
    running.add(work);
    return work.finally(() => running.delete(work));
  };
  server.setRequestHandler('tools/list', () => ({
    tools: [...tools.map((tool) => describeTool(tool, isAllowed(session, tool))), readMore],
  }));
  server.setRequestHandler('tools/call', ({ params }, context) =>
    track(call(session, server, params.name, params.arguments ?? {}, context)),
  );
  server.setRequestHandler('resources/list', () => ({
    resources: resources.map(({ text: _, ...resource }) => resource),
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      {
        uriTemplate: `${historyUri}{id}`,
        name: 'history record',
        description: 'A change that this machine has sent: its request, outcome and response',
        mimeType: 'text/plain',
      },
    ],
  }));
  server.setRequestHandler('resources/read', ({ params: { uri } }, context) =>
    track(readResource(session, uri, context)),
  );
  server.setRequestHandler('prompts/list', () => ({
    prompts: prompts.map(({ name, description, arguments: given }) => ({
      name,
      description,
      arguments: [...given],
    })),
  }));
  server.setRequestHandler('prompts/get', ({ params }) => {
    const prompt = prompts.find(({ name }) => name === params.name);
    if (prompt === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown prompt ${params.name}`);
    const text = prompt.text(params.arguments ?? {});
    return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] };
  });
  return server;
}

/** Long texts in answers name this tool. */
const readMore = {
  name: 'read_more',
  title: 'read more',
  description: 'Read the rest of a text that was cut.',
  inputSchema: {
    type: 'object' as const,
    properties: { id: { type: 'string' }, offset: { type: 'integer', minimum: 0 } },
    required: ['id', 'offset'],
  },
  annotations: { readOnlyHint: true },
};

async function call(
  session: Session,
  server: Server,
  name: string,
  inputs: Inputs,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  if (name === readMore.name) return readOn(session, inputs);
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown tool ${name}`);
  const { mcpReq } = context;
  const control = {
    signal: AbortSignal.any([mcpReq.signal, session.io.signal]),
    onProgress: reportProgress(mcpReq),
  };
  const confirms = tool.rows !== null || inputs[tool.confirm ?? ''] !== undefined;
  if (!confirms || inputs.dryRun === true || !isAllowed(session, tool) || !canAskUser(server, context))
    return callTool(session, tool, inputs, control);
  // `confirm` in the call is the model's own and does not count.
  const { confirm: _, ...unconfirmed } = inputs;
  const answer = inputResponse(mcpReq.inputResponses, 'confirm');
  if (answer.kind !== 'elicit') {
    if (tool.rows === null) return askToConfirm(session, tool, String(inputs[tool.confirm ?? '']));
    const plan = await callTool(session, tool, unconfirmed, control);
    const count = missingCount(plan);
    return count === undefined ? plan : askToConfirm(session, tool, count);
  }
  if (answer.action !== 'accept') {
    const next = 'The user did not confirm. Do not try again unless they ask for it.';
    return toResult({ ok: false, outcome: 'not_sent', next }, session.texts, null);
  }
  const typed = String(answer.content?.id ?? '');
  const confirm = tool.rows === null ? typed : Number(typed);
  return callTool(session, tool, { ...unconfirmed, confirm }, control);
}

/** The number of decisions that a batch asks to confirm. */
function missingCount({ structuredContent: answer }: CallToolResult): string | undefined {
  const message = getPath(answer, ['error', 'message']);
  return /^confirm (\d+) is required/.exec(String(message))?.[1];
}

function canAskUser(server: Server, { mcpReq }: ServerContext): boolean {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  const capabilities = envelope[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
  const elicitation = getPath(capabilities, ['elicitation']);
  return isObject(elicitation) && ('form' in elicitation || !('url' in elicitation));
}

function askToConfirm({ target }: Session, tool: Tool, wanted: string): InputRequiredResult {
  return inputRequired({
    inputRequests: {
      confirm: inputRequired.elicit({
        message: `${tool.write?.summary} (${target}). ${tool.effect} Type ${wanted} to confirm.`,
        requestedSchema: {
          type: 'object',
          properties: {
            id: {
              type: 'string',
              title: tool.confirm ?? 'number of decisions',
              description: `Type ${wanted}`,
            },
          },
          required: ['id'],
        },
      }),
    },
  });
}

/** Batches have several stages, and progress must never go back. */
function reportProgress({ _meta, notify }: ServerContext['mcpReq']): Io['onProgress'] {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let before = 0;
  let last = 0;
  let shown = -1;
  return (done, total, what) => {
    if (done < last) before += last;
    last = done;
    const progress = before + done;
    if (progress <= shown) return;
    shown = progress;
    const message = `${done} of ${total} ${what}`;
    const params = { progressToken, progress, total: before + total, message };
    // A client that has gone does not wait for progress.
    notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

function readOn({ texts }: Session, { id, offset }: Inputs): CallToolResult {
  const text = texts.read(String(id), Number(offset));
  if (text === null || !Number.isInteger(offset)) {
    return toResult(
      { ok: false, next: 'This text is no longer available. Call the tool again.' },
      texts,
      null,
    );
  }
  return { content: [{ type: 'text', text: markUntrusted(text) }] };
}

const resources = [
  {
    uri: `${scheme}openapi.json`,
    name: 'OpenAPI description of the service',
    mimeType: 'application/json',
    text: () => JSON.stringify(buildOpenApi(version), null, 2),
  },
  { uri: `${scheme}exit-codes`, name: 'Exit codes in results', mimeType: 'text/plain', text: exitCodeGuide },
];

async function readResource(session: Session, uri: string, { mcpReq: { signal } }: ServerContext) {
  const known = resources.find((resource) => resource.uri === uri);
  if (known !== undefined) return { contents: [{ uri, mimeType: known.mimeType, text: known.text() }] };
  const show = tools.find(({ name }) => name === 'history_show');
  if (!uri.startsWith(historyUri) || show === undefined) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `unknown resource ${uri}`);
  }
  const id = uri.slice(historyUri.length);
  const { content, isError } = await callTool(session, show, { id }, { signal });
  const [first] = content;
  if (isError || first?.type !== 'text')
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `no history record ${id}`);
  return { contents: [{ uri, mimeType: 'text/plain', text: first.text }] };
}
