import { textAt } from '../../../base/json.ts';
import { buildPath, type Operation } from '../../../contract/operation.ts';
import { changedNothing, hasUndo } from '../../../history/changes/replaced-values.ts';
import type { HistoryRecord } from '../../../history/record/history-record.ts';
import { markedByHand } from '../../../history/record/recorded-outcome.ts';
import { type CommandResult, reportApplied } from '../../command/command-definition.ts';
import { isForPerson } from '../../command/lists.ts';
import { chosenFields, printJson } from '../../command/print-json.ts';
import { fieldNames, namesIn, refuseUnknownFields } from '../../command/response-fields.ts';
import type { Session } from '../../command/session.ts';
import type { Ui } from '../../command/ui.ts';
import { commandLine, type Phrase, phrase, toRun } from '../../config/phrase.ts';
import { CliError } from '../../core/errors.ts';
import { exitCodes } from '../../core/exit-codes.ts';
import { selectAt } from '../../core/field-path.ts';
import { apart, joined, line, maskWebhooks, type Printable } from '../../core/sanitize.ts';
import { renderJson } from '../../output/style.ts';
import type { OperationRequest, Result, ResultView, Run } from '../call/run.ts';

/**
 * Prints on stderr what a change did, on stdout the response (as id, fields, JSON or text, depending on the flags), and on stderr how to
 * undo the change. Writes the response to `--output-file`. Throws exit 12 if the result of a change cannot be printed.
 */
export async function printResult(run: Run, view: ResultView, result: Result): Promise<CommandResult> {
  const applied = result.record === null ? [] : [result.record];
  await reportApplied(applied, async () => {
    await print(run, view, result);
    run.writeOutput(result.text);
  });
  return { applied };
}

async function print(run: Run, view: ResultView, result: Result): Promise<void> {
  const { text, record } = result;
  const { ui, session } = run;
  const { out } = ui;
  if (ui.quiet) return printId(run, result);
  if (record?.failure?.code === markedByHand) {
    ui.notice(
      phrase`${record.id} was marked as applied with ${toRun('resume')}, so there is no response to show.`,
    );
    if (ui.json) ui.print('null');
    return;
  }
  const done = record === null || result.isEarlier ? null : await view.done?.(result, run);
  if (typeof done === 'string') printSuccess(ui, done);
  if (ui.json && ui.fields === null) {
    ui.print(renderJson(text === '' ? 'null' : text, out));
  } else {
    const described = (await describeResponse(run, view, result)) ?? renderJson(text, out);
    if (described !== '') ui.print(described);
  }
  const note = view.note?.(result) ?? null;
  if (note !== null) ui.notice(note, 'dim');
  const isUndoable = record !== null && !result.isEarlier && hasUndo(record) && !changedNothing(record);
  if (isUndoable) noticeUndo(ui, session, record);
}

/** Prints the command that undoes a change. */
export function noticeUndo(ui: Ui, { flags }: Session, { id }: HistoryRecord): void {
  ui.noticeUnwrapped(line`Undo: ${commandLine(['undo', id], flags)}`);
}

/** `✓ Created backup "nightly"` on stderr. `text` may contain values from the service. */
export function printSuccess({ err, notice }: Ui, text: string): void {
  notice(joined([err.color.green(line`✓`), line`${text}`], ' '));
}

/** The chosen fields, or the response as text; null if it is nested deeper than the stack allows. */
async function describeResponse(run: Run, view: ResultView, result: Result): Promise<Printable | null> {
  const { ui } = run;
  const { response } = result;
  const { out, notice } = ui;
  try {
    if (ui.fields !== null) {
      const { operation } = run.request;
      // For a change, `--fields` was checked before the change was sent.
      const missing = ui.fields.filter((path) => selectAt(response, path) === undefined);
      if (operation.class === 'read')
        refuseUnknownFields(missing, [...fieldNames(operation.response), ...namesIn(response)]);
      return renderJson(JSON.stringify(chosenFields(ui, response)), out);
    }
    const shown = await view.show?.(result, run);
    if (typeof shown === 'string') return shown;
    const { renderRecord, rowsOf } = await import('../../output/tables.ts');
    const { fieldsForPeople } = await import('../../output/labels.ts');
    // Amounts use the currency in the response itself.
    const currency = textAt(response, ['defaultCurrency']);
    return renderRecord(shown ?? rowsOf(fieldsForPeople(response), { currency }), out);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    notice('The response is nested too deeply to format, so it is shown as JSON.');
    return null;
  }
}

/** The fields that may have the id of the object that an operation made or read. */
const idPaths = [['id'], ['record', 'id'], ['storeId']];

/** Prints the id, for `--quiet`. Throws an error without one, because a script that stores the id must not go on with an empty text. */
function printId({ request: { operation }, ui }: Run, { response, record }: Result): void {
  const names = fieldNames(operation.response);
  const path = idPaths.find((one) => names.includes(one.join('.')));
  // The response to a restore has no id. The id of its record is printed, which `undo` takes.
  const isUndoable = path === undefined && record !== null && hasUndo(record);
  const id = isUndoable ? record.id : textAt(response, path ?? ['id']);
  if (id !== null) ui.print(line`${id}`);
  else if (path !== undefined) throw withoutId(operation, record);
}

function withoutId(operation: Operation, record: Result['record']): CliError {
  const isRead = operation.class === 'read';
  return new CliError({
    code: 'no_id',
    exitCode: isRead ? exitCodes.notApplied : exitCodes.outputFailed,
    what: 'the response contains no id to print',
    next: record === null ? [] : [{ run: ['history', 'show', record.id], rest: 'to see the response' }],
    outcome: isRead ? 'not_sent' : 'applied',
    operationId: record?.id,
  });
}

/** What a dry run says besides the request. */
interface DryRun {
  /** What the command would do besides. */
  readonly note?: Phrase | null;
  /** What would change, with the present values if they can be read. Only people are shown it: a script gets the request, and no read is sent. */
  preview?(): Promise<Printable | null>;
}

/**
 * Prints what would change, and the request that would be sent, without the API key. A key in the body that the user has not given is
 * an example. A preview that fails is left out: the command itself would say why.
 */
export async function printDryRun(run: Run, { note = null, preview }: DryRun = {}): Promise<undefined> {
  const { target, request, ui } = run;
  const { operation, parameters } = request;
  const { warnOfRequest } = await import('./warn-of-request.ts');
  warnOfRequest(run);
  const shown = isForPerson(ui) && preview !== undefined ? await orNull(preview) : null;
  if (shown !== null) ui.notice(apart(shown));
  const path = buildPath(operation, { storeId: target.storeId, ...parameters });
  printRequest(ui, {
    method: operation.method,
    url: target.baseUrl + path,
    body: await withIdempotencyKey(request),
  });
  if (note !== null) ui.notice(note);
}

async function orNull(preview: () => Promise<Printable | null>): Promise<Printable | null> {
  try {
    return await preview();
  } catch (error) {
    if (error instanceof CliError) return null;
    throw error;
  }
}

async function withIdempotencyKey({ operation, body }: OperationRequest): Promise<OperationRequest['body']> {
  if (operation.class !== 'keyed' || body?.idempotencyKey !== undefined) return body;
  const { makeIdempotencyKey } = await import('../../../client/idempotency-key.ts');
  return { ...body, idempotencyKey: makeIdempotencyKey() };
}

/** Prints a request, without the API key and the tokens of webhooks. `body` is null for a request without a body. */
export function printRequest(
  ui: Ui,
  { method, url, body: whole }: { readonly method: string; readonly url: string; readonly body: unknown },
): void {
  const { out } = ui;
  const body = maskWebhooks(whole);
  const headers = {
    authorization: 'Bearer [redacted]',
    accept: 'application/json',
    ...(body !== null && { 'content-type': 'application/json' }),
  };
  if (ui.json) {
    printJson(ui, { method, url, headers, body });
    return;
  }
  const lines = Object.entries(headers).map(([name, value]) => line`${name}: ${value}`);
  ui.print(joined([line`${method} ${url}`, ...lines], '\n'));
  if (body !== null) {
    const shown = renderJson(JSON.stringify(body), { ...out, width: out.width ?? 80 });
    ui.print(joined([line``, shown], '\n'));
  }
  ui.notice('dry run: nothing was sent');
}
