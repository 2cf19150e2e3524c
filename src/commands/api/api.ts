import { parseJson } from '../../base/json.ts';
import type { CommandDefinition, CommandResult } from '../../cli/command/command-definition.ts';
import type { Connection } from '../../cli/command/connection.ts';
import type { Ui } from '../../cli/command/ui.ts';
import { usageError } from '../../cli/core/errors.ts';
import { advancedGroup } from '../../cli/core/option-spec.ts';
import { isOn } from '../../cli/core/parsed-command.ts';
import { type Printable, printableLines } from '../../cli/core/sanitize.ts';
import { newRun, type Result, type Run } from '../../cli/operation/call/run.ts';
import { noteDrift } from '../../cli/operation/result/expect-applied.ts';
import { outcomeError } from '../../cli/operation/result/outcome-error.ts';
import { printRequest, printResult } from '../../cli/operation/result/print-result.ts';
import { announce } from '../../cli/operation/send/announce.ts';
import { sendOptions, storeWaitOrNone } from '../../cli/operation/send/read.ts';
import { send as sendRun } from '../../cli/operation/send/send.ts';
import { renderJson } from '../../cli/output/style.ts';
import type { Exchange } from '../../client/exchange.ts';
import { type HttpMethod, type Operation, parametersOf } from '../../contract/operation.ts';
import { type RawBody, readRawBody } from './raw-body.ts';
import {
  addQuery,
  fillStore,
  matchOperation,
  rawChange,
  rawMethods,
  readRequestLine,
  storeInPath,
} from './raw-request.ts';

const group = 'Request:';
const allowDuplicate = '--allow-duplicate';

export const command: CommandDefinition = {
  description: `Send one request with the key of the profile. {store} in the path is replaced by the store id. Changes are
recorded in the history, but nothing is checked or backed up first.`,
  details: `The path stays below the base URL. The response is printed on stdout even if the service rejects the request; the
error is then on stderr and sets the exit code. A known operation is retried like its own command; any other change is sent
once, and so is one that needs an idempotencyKey and has none in its --input.`,
  arguments: [
    {
      name: 'method',
      description: `One of ${rawMethods.join(', ')} (default GET)`,
      optional: true,
      complete: rawMethods,
    },
    { name: 'path', description: 'Path, for example /v1/stores/{store}/operations/settings' },
  ],
  options: [
    {
      flag: '--field',
      short: '-f',
      value: 'PATH=VALUE',
      description: 'Field of the body (a=1, nested a.b=1, list a[]=1), or of the query for GET',
      group,
    },
    {
      flag: '--input',
      value: 'FILE',
      description: 'Send this JSON file unchanged; - for standard input',
      group,
    },
    {
      flag: '--new',
      description: 'Start over instead of continuing an earlier attempt that is in doubt',
      group: advancedGroup,
    },
    {
      flag: allowDuplicate,
      description: 'Send it even if the same was sent before',
      group: advancedGroup,
    },
  ],
  dryRun: true,
  withoutEffect: 'nothing was changed',
  examples: [
    'api /v1/stores/{store}/operations/settings',
    'api PATCH /v1/stores/{store} -f settings.cashbackBp=250',
    "api POST /v1/stores/{store}/operations/backups -f label=x -f 'sections[]=store'",
    'api PUT /v1/stores/{store}/operations/settings --input settings.json',
  ],
  async run({ ui, session, parsed }) {
    const { method, target } = readRequestLine(parsed);
    const body = await readRawBody(session, parsed, method);
    const connection = await session.connect();
    const path = addQuery(fillStore(target, connection.storeId), body.query);
    refuseKey(`${path}\n${body.text ?? ''}\n${JSON.stringify(body.value)}`, connection.secret);
    if (method !== 'GET') refuseOtherStore(path, connection.storeId);
    const request: RawRequest = { ui, session, connection, parsed, method, path, body };
    if (session.flags.dryRun) {
      const value: unknown = body.text === undefined ? body.value : JSON.parse(body.text);
      printRequest(ui, { method, url: connection.baseUrl + path, body: value });
      return undefined;
    }
    return send(request);
  },
};

/** A change is recorded in the history of the store that it changes. */
function refuseOtherStore(path: string, storeId: string): void {
  const named = storeInPath(path);
  if (named === null || named === undefined || named === storeId) return;
  throw usageError(
    `the path names store ${named}, but the store in use is ${storeId}`,
    `write {store} in the path, and add --store ${named} if you mean that one`,
  );
}

interface RawRequest extends Pick<Run, 'ui' | 'session' | 'parsed'> {
  readonly connection: Connection;
  readonly method: HttpMethod;
  readonly path: string;
  readonly body: RawBody;
}

/** The key belongs in the header only. */
function refuseKey(text: string, secret: string): void {
  if (secret.length < 8 || !text.includes(secret)) return;
  throw usageError('the request contains the API key', 'remove the key: storectl sends it in a header', {
    code: 'secret_in_request',
  });
}

/** Sends the request and prints the response, even of a refusal, before its error is thrown. */
async function send(request: RawRequest): Promise<CommandResult> {
  const { ui, connection, method, path } = request;
  let last: Exchange | undefined;
  connection.onExchange((exchange) => {
    if (exchange.method === method && exchange.url === connection.baseUrl + path) last = exchange;
  });
  const run = runOf(request);
  const duplicates = {
    allowDuplicate: isOn(request.parsed, allowDuplicate),
    allowDuplicateFlag: allowDuplicate,
    readsFirst: true,
  };
  let result: Result;
  try {
    if (method !== 'GET') await announce(run);
    result = await (method === 'GET' ? read(request) : sendRun(run, duplicates));
  } catch (error) {
    const text = last?.responseBody ?? '';
    if (text !== '' && !ui.quiet && (isJson(text) || !ui.json)) ui.print(renderBody(ui, text));
    throw error;
  }
  const { text, response } = result;
  const view = { done: () => `Sent ${method} ${path}`, show: () => renderBody(ui, text) };
  // --json prints one JSON document even if the response is text or empty.
  return printResult(run, view, isJson(text) ? result : { ...result, text: JSON.stringify(response) });
}

/** The request as a run of the operation that it is, or of another one. */
function runOf(raw: RawRequest): Run {
  const { connection, method, path } = raw;
  const { value, text } = raw.body;
  const matched = matchOperation(method, path);
  const known = matched ?? rawChange(method, path);
  const hasKey = text === undefined ? value !== null : typeof value?.idempotencyKey === 'string';
  const isRepeated = known.class !== 'keyed' || hasKey;
  const operation: Operation = {
    ...known,
    path,
    // Without a key in the body, every attempt would be applied again.
    class: method === 'GET' ? 'read' : isRepeated ? known.class : 'one-shot',
  };
  const bodyText = text !== undefined && { bodyText: text };
  const parameters = matched === null ? {} : parametersOf(matched, path);
  return newRun(raw, connection, { operation, parameters, body: value, ...bodyText });
}

async function read({ ui, session, connection, method, path }: RawRequest): Promise<Result> {
  connection.client.pause(await storeWaitOrNone(session));
  const outcome = await connection.client.send(
    { method, path, body: null, class: 'read', operation: matchOperation(method, path) },
    sendOptions(session),
  );
  if (outcome.kind !== 'applied') {
    const { profile, baseUrl } = connection;
    const operation = matchOperation(method, path)?.id;
    throw outcomeError(session, outcome, { profile, baseUrl, ...(operation && { operation }) });
  }
  noteDrift(ui, outcome);
  return { response: outcome.body, text: outcome.text, etag: outcome.etag, record: null };
}

function renderBody(ui: Ui, text: string): Printable {
  return isJson(text) ? renderJson(text, ui.out) : printableLines(text);
}

function isJson(text: string): boolean {
  return parseJson(text) !== undefined;
}
