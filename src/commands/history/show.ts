import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { printJson } from '../../cli/command/print-json.ts';
import type { Session } from '../../cli/command/session.ts';
import type { Ui } from '../../cli/command/ui.ts';
import { phrase, toRun } from '../../cli/config/phrase.ts';
import { changesBetween } from '../../cli/core/json-changes.ts';
import { argumentValue } from '../../cli/core/parsed-command.ts';
import { joined, line, maskWebhooks, type Printable } from '../../cli/core/sanitize.ts';
import { noticeUndo } from '../../cli/operation/result/print-result.ts';
import { rowsOfChanges } from '../../cli/output/describe-changes.ts';
import { describeState, recordChoice, recordSummary } from '../../cli/output/record-summary.ts';
import { type Row, renderIndented, renderRecord, rowsOf } from '../../cli/output/tables.ts';
import { askNeededOne } from '../../cli/prompts/ask-or-fail.ts';
import { restoreBackup } from '../../contract/operations/backups.ts';
import { clientFields } from '../../contract/operations/settings.ts';
import { indexUndos, planUndo } from '../../history/changes/undo.ts';
import type { StoreHistory } from '../../history/history.ts';
import { rulesOf } from '../../history/operation-rules.ts';
import { HistoryError, RefusedError } from '../../history/record/errors.ts';
import { type HistoryRecord, receivedBody, sentBody } from '../../history/record/history-record.ts';
import { markedByHand } from '../../history/record/recorded-outcome.ts';
import { rowsOfRestored } from '../backup/for-others.ts';
import { drawChanges, type RunOfChanges } from './draw-changes.ts';
import { summarize } from './summarize.ts';

export const command: CommandDefinition = {
  description: 'Show one change: what was sent and what the service returned.',
  tool: {
    description: 'Show one change: what was sent, its outcome, and what the service returned.',
    inputs: { id: 'ID of the change, from history_list' },
  },
  arguments: [
    {
      name: 'id',
      description: 'ID of the change, for example k3f9a2, or k3f9a2.17 for one of a batch',
      complete: 'record',
    },
  ],
  examples: ['history show k3f9a2', 'history show k3f9a2.17 --json'],
  async run({ ui, session, parsed }) {
    const id = argumentValue(parsed, 'id') ?? (await chooseRecord(ui, session));
    if (id === null) return undefined;
    const history = await session.history();
    // The file keeps webhook tokens; what is printed may end up in the log of a CI job.
    const records = history.snapshot().recordsOf(id).map(maskWebhooks);
    if (ui.json) printJson(ui, records.length === 1 ? records[0] : records);
    else if (isBatch(records)) {
      const { records: all } = history.snapshot().list();
      const changes = summarize(records, all).map((change): RunOfChanges => [change]);
      ui.print(drawChanges(changes, ui, []));
      const [open] = records.filter((record) => record.open);
      if (open !== undefined)
        ui.noticeUnwrapped(phrase`Run ${toRun('resume', id)}: it finishes open changes, or says what to do.`);
      ui.noticeUnwrapped(
        phrase`Run ${toRun('history', 'show', (open ?? records[0])?.id ?? id)} to see one of them.`,
      );
    } else {
      const { records: all } = history.snapshot().list();
      ui.print(
        joined(
          records.map((record) => drawRecord(ui, record, all)),
          '\n\n',
        ),
      );
      for (const record of records) {
        if (record.open)
          ui.noticeUnwrapped(
            phrase`Run ${toRun('resume', record.id)}: it finishes this change, or says what to do.`,
          );
        if (canUndo(history, record)) noticeUndo(ui, session, record);
      }
    }
    return undefined;
  },
};

/** Several changes of one kind; a restore has its safety backup with it. */
function isBatch(records: readonly HistoryRecord[]): boolean {
  return records.length > 1 && new Set(records.map(({ operation }) => operation)).size === 1;
}

/** `all` are the records of the store. */
function drawRecord({ out }: Ui, record: HistoryRecord, all: readonly HistoryRecord[]): Printable {
  const { open, baseUrl, ...summary } = recordSummary(record);
  const { id: recordId, createdAt, operation, storeId, result, attempts } = summary;
  const head = {
    id: recordId,
    createdAt,
    operation,
    storeId,
    service: baseUrl,
    state: describeState({ state: summary.state, open, result }),
    result: open || result === markedByHand ? undefined : result,
    attempts,
    safetyBackupId: record.safetyBackupId ?? undefined,
    undoes: record.undoes ?? undefined,
    undoneBy: indexUndos(all)(record)?.id,
    failure: record.failure?.message,
  };
  const sent = sentBody(record) ?? {};
  // What it replaced, if the record says so.
  const { replaced } = record;
  const request = replaced ? rowsOfChanges(changesBetween(clientFields(replaced), sent)) : rowsOf(sent);
  const { bold } = out.color;
  const block = (title: string, rows: readonly Row[]) =>
    rows.length === 0 ? [] : [joined([bold(line`${title}`), renderIndented(rows, out)], '\n')];
  const parts = [
    renderRecord(rowsOf(head), out),
    ...block('Request', [
      ['Method', record.method],
      ['Path', record.requestTarget ?? record.path],
      ...request,
    ]),
    ...block('Response', rowsOfResponse(record)),
  ];
  return joined(parts, '\n\n');
}

/** Whether `undo` would undo the change. */
function canUndo(history: StoreHistory, { id, operation }: HistoryRecord): boolean {
  // A plan reads all records, and a run may have thousands that cannot be taken back.
  if (rulesOf(operation).undo === undefined) return false;
  try {
    return planUndo(history.snapshot(), id).record.id === id;
  } catch (error) {
    if (error instanceof RefusedError || error instanceof HistoryError) return false;
    throw error;
  }
}

/** The response for people: of an update, which repeats the whole object, without its body. */
function rowsOfResponse(record: HistoryRecord): Row[] {
  if (record.response === null) return [];
  const { status, replayed, settledByReading, body, problem, ...response } = record.response;
  const note = settledByReading
    ? 'The response was lost. A later check showed that the change was applied.'
    : replayed
      ? 'The service had already applied this change: this is its response to the first request.'
      : undefined;
  const isUpdate = record.class === 'repeatable' && record.state === 'applied';
  const head = {
    // The body may have a status, too.
    'HTTP status': status,
    ...(problem && { error: problem.code, message: problem.message }),
    ...Object.fromEntries(problem?.fields.map(({ path, detail }) => [path, detail]) ?? []),
    ...response,
    ...(note !== undefined && { note }),
  };
  const shown = body === null || isUpdate ? {} : receivedBody(record);
  const isRestore = record.operation === restoreBackup.id && record.state === 'applied';
  return [...rowsOf(head), ...(isRestore ? rowsOfRestored(shown) : rowsOf(shown))];
}

/** Older ones are in `history list`. */
const maxChoices = 500;

/** Null if there is nothing to choose from. */
async function chooseRecord(ui: Ui, session: Session): Promise<string | null> {
  const records = ui.canAsk ? (await session.history()).snapshot().list().records : [];
  const choices = records.slice(0, maxChoices).map(recordChoice);
  if (ui.canAsk && choices.length === 0) {
    ui.notice('No history yet on this machine for this store.');
    return null;
  }
  return askNeededOne(ui, {
    field: 'id',
    give: '<id>',
    description: 'id of a change in the history',
    label: 'Change ID',
    question: 'Which change do you want to see?',
    choices: async () => choices,
  });
}
