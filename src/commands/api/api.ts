import { parseJson } from '../../base/json.ts';
import type { CommandDefinition, CommandResult } from '../../cli/command/command-definition.ts';
import type { Connection } from '../../cli/command/connection.ts';
import { printJson } from '../../cli/command/print-json.ts';
import type { Session } from '../../cli/command/session.ts';
import type { Ui } from '../../cli/command/ui.ts';
import { type Phrase, phrase, toRun } from '../../cli/config/phrase.ts';
import { CliError, usageError } from '../../cli/core/errors.ts';
import { advancedGroup } from '../../cli/core/option-spec.ts';
import { isOn, type ParsedCommand } from '../../cli/core/parsed-command.ts';
import { printable, printableLines } from '../../cli/core/sanitize.ts';
import { newRun, type Result, type Run } from '../../cli/operation/call/run.ts';
import { outcomeError } from '../../cli/operation/result/outcome-error.ts';
import { idIfAny, noticeDone, printRequest, printResult } from '../../cli/operation/result/print-result.ts';
import {
  announce,
  noteDrift,
  recordsOf,
  sendOptions,
  send as sendRun,
} from '../../cli/operation/send/send-run.ts';
import { renderJson } from '../../cli/output/style.ts';
import type { Exchange } from '../../client/client.ts';
import type { Operation } from '../../contract/operation.ts';
import { restoreBackup } from '../../contract/operations/backups.ts';
import { decideDispute } from '../../contract/operations/disputes.ts';
import { appealReclaim } from '../../contract/operations/reclaims.ts';
import { type RawBody, readRawBody } from './raw-body.ts';
import {
  addQuery,
  fillStore,
  hintOfUnknownPath,
  matchOperation,
  type RawMethod,
  rawChange,
  rawMethods,
  readRequestLine,
  storeOf,
} from './raw-request.ts';

const group = 'Request:';

export const command: CommandDefinition = {
  description: `Send one request with the key of the profile. {store} in the path is replaced by the store id. Changes are
recorded in the history, but nothing is checked or backed up first.`,
  details: `The path stays below the base URL. The response is printed on stdout even if the service rejects the request; the
error is then on stderr and sets the exit code. A known operation is retried like its own command; any other change is sent
once.`,
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
      description: 'Field of the body (a=1, nested a.b=1, list a[]=1), or of the query for GET and HEAD',
      group,
    },
    {
      flag: '--input',
      value: 'FILE',
      description: 'Send this JSON file unchanged; - for standard input',
      group,
    },
    {
      flag: '--include',
      short: '-i',
      description: 'Print the status and headers of the response before its body',
      group,
    },
    {
      flag: '--new',
      description: 'Start over instead of continuing an earlier attempt with an unknown outcome',
      group: advancedGroup,
    },
  ],
  dryRun: true,
  withoutEffect: 'nothing was sent',
  examples: [
    'api /v1/stores/{store}/operations/settings',
    'api PATCH /v1/stores/{store} -f settings.cashbackBp=250 --include',
    "api POST /v1/stores/{store}/operations/backups -f label=x -f 'sections[]=store'",
    'api PUT /v1/stores/{store}/operations/settings --input settings.json',
  ],
  async run({ ui, session, parsed }) {
    const { method, target } = readRequestLine(parsed);

    if (isOn(parsed, '--include') && (ui.json || ui.quiet)) {
      throw usageError('--include cannot be used with --json, --fields or --quiet', 'remove one of them');
    }
    const body = await readRawBody(session, parsed, method);
    const connection = await session.connect();
    const path = addQuery(fillStore(target, connection.storeId), body.query);
    refuseKey(`${path}\n${body.text ?? ''}\n${JSON.stringify(body.value)}`, connection.secret);
    if (method !== 'GET' && method !== 'HEAD') refuseOtherStore(path, connection.storeId);
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
  const named = storeOf(path);
  if (named === null || named === undefined || named === storeId) return;
  throw usageError(
    `the path names store ${named}, but the store in use is ${storeId}`,
    `write {store} in the path, and add --store ${named} if you mean that one`,
  );
}

interface RawRequest {
  readonly ui: Ui;
  readonly session: Session;
  readonly connection: Connection;
  readonly parsed: ParsedCommand;
  readonly method: RawMethod;
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

/** Sends the request and prints the answer, also that of a refusal before its error is thrown. */
async function send(request: RawRequest): Promise<CommandResult> {
  const { ui, connection, parsed, method, path } = request;
  let last: Exchange | undefined;
  connection.onExchange((exchange) => {
    if (exchange.method === method && exchange.url === connection.baseUrl + path) last = exchange;
  });
  const run = runOf(request);
  const include = () => {
    if (!isOn(parsed, '--include')) return;
    if (last === undefined) ui.notice('The response comes from the history, which does not keep headers.');
    else if (last.status !== null) ui.print(describeHead(last));
  };
  let result: Result;
  try {
    result = run === null ? await read(request) : await change(run, request);
  } catch (error) {
    if (last?.responseBody && !ui.quiet && (isJson(last.responseBody) || !ui.json)) {
      include();
      printBody(ui, last.responseBody);
    }
    const hint =
      error instanceof CliError && error.failure.status === 404 ? hintOfUnknownPath(method, path) : null;
    if (hint === null || !(error instanceof CliError)) throw error;
    throw new CliError({ ...error.failure, next: [{ say: hint }] });
  }

  if (run !== null && !ui.quiet) noticeDone(ui, `Sent ${method} ${path}`);
  include();
  if (ui.quiet || ui.fields !== null)
    await printResult(
      run ?? asRun(request, { ...rawChange('GET', path), class: 'read' }),
      { id: idIfAny },
      result,
    );
  // --json prints one JSON document even if the answer is text or empty.
  else if (ui.json && !isJson(result.text)) printJson(ui, result.answer);
  else printBody(ui, result.text);
  return { applied: recordsOf(result) };
}

/** The request as a run of an operation, or null for a read. */
function runOf(request: RawRequest): Run | null {
  const { method, path, body } = request;
  if (method === 'GET' || method === 'HEAD') return null;
  const known = matchOperation(method, path);
  if (known === undefined) return asRun(request, rawChange(method, path));
  const hasKey =
    body.text === undefined ? body.value !== null : typeof body.value?.idempotencyKey === 'string';
  return asRun(request, {
    ...known,
    path,
    // Without a key in the body, every attempt would be applied again.
    class: known.class === 'keyed' && !hasKey ? 'one-shot' : known.class,
  });
}

function asRun(raw: RawRequest, operation: Operation): Run {
  const { value, text } = raw.body;
  const bodyText = text !== undefined && { bodyText: text };
  return newRun(raw, raw.connection, { operation, parameters: {}, body: value, ...bodyText });
}

async function read({ ui, session, connection, method, path }: RawRequest): Promise<Result> {
  const known = matchOperation(method, path);
  const outcome = await connection.client.send(
    { method, path, body: null, class: 'read', operation: known ?? null, anyBody: known === undefined },
    sendOptions(session),
  );
  if (outcome.kind !== 'applied') {
    const { profile, baseUrl } = connection;
    throw outcomeError(session, outcome, { profile, baseUrl });
  }
  noteDrift(ui, outcome);
  return { answer: outcome.body, text: outcome.text, etag: outcome.etag, record: null };
}

/** Operations whose own commands check something first. */
const saferCommands: Readonly<Record<string, Phrase>> = {
  [restoreBackup.id]: phrase`use ${toRun('backup', 'restore')}, which takes a safety backup and asks first`,
  [decideDispute.id]: phrase`use ${toRun('disputes', 'decide')}, which shows the dispute and asks first`,
  [appealReclaim.id]: phrase`use ${toRun('reclaim', 'appeal')}, which asks first and prevents a second appeal`,
};

async function change(run: Run, { ui }: RawRequest): Promise<Result> {
  await announce(run);
  const { id, class: operationClass, method, path } = run.request.operation;
  const safer = saferCommands[id];
  const { yellow } = ui.err.color;
  if (safer !== undefined)
    ui.notice(phrase`${yellow('Warning:')} ${toRun('api')} checks nothing first; ${safer}.`);
  if (operationClass === 'one-shot' && matchOperation(method, path)?.class === 'keyed') {
    ui.notice(yellow('The body has no idempotencyKey, so the request is sent once and not retried.'));
  }
  return sendRun(run);
}

function describeHead({ status, statusText, responseHeaders }: Exchange): string {
  const headers = Object.entries(responseHeaders ?? {}).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${statusText}`.trimEnd(), ...headers].map(printable).concat('', '').join('\n');
}

function printBody(ui: Ui, text: string): void {
  if (text === '') return;
  ui.print(isJson(text) ? renderJson(text, ui.out) : printableLines(text));
}

function isJson(text: string): boolean {
  return parseJson(text) !== undefined;
}
