import { textAt } from '../../base/json.ts';
import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { limitOption, noticeMore, printList, readLimit } from '../../cli/command/lists.ts';
import { shortenId } from '../../cli/command/short-id.ts';
import type { Ui } from '../../cli/command/ui.ts';
import { phrase, toRun } from '../../cli/config/phrase.ts';
import { choiceOf } from '../../cli/core/parsed-command.ts';
import { joined, line, type Printable } from '../../cli/core/sanitize.ts';
import { formatAge } from '../../cli/output/format-value.ts';
import {
  countRecords,
  describeState,
  type RecordSummary,
  recordSummary,
} from '../../cli/output/record-summary.ts';
import type { Style } from '../../cli/output/style.ts';
import { type Cell, renderLines } from '../../cli/output/tables.ts';
import { truncateText } from '../../cli/output/wrap.ts';
import { restoreBackup } from '../../contract/operations/backups.ts';
import { operations } from '../../contract/operations/operations.ts';
import { indexUndos } from '../../history/changes/undo.ts';
import { knownObjects } from '../../history/objects/known-objects.ts';
import { readSeen } from '../../history/objects/seen-objects.ts';
import { isDamage } from '../../history/record/errors.ts';
import {
  type HistoryRecord,
  isInDoubt,
  objectIdOf,
  rawOperationId,
  receivedBody,
  recordStates,
} from '../../history/record/history-record.ts';
import { markedByHand } from '../../history/record/recorded-outcome.ts';

/** In columns. --json prints labels whole. */
const maxLabelWidth = 60;

/** `open` is all that `resume` takes. */
const states = [...recordStates, 'open'] as const;

const header = ['id', 'age', 'operation', 'label', 'result'];

/** Of a record in JSON. */
const recordFields: readonly string[] = [
  ...['id', 'createdAt', 'age', 'operation', 'label', 'storeId', 'baseUrl'],
  ...['state', 'open', 'result', 'undoneBy', 'idempotencyKey', 'attempts'],
];

const recordedOperations: readonly string[] = [
  ...operations.filter((known) => known.class !== 'read').map(({ id }) => id),
  rawOperationId,
];

export const command: CommandDefinition = {
  description: `List the changes recorded on this machine for the store in use, newest first: what was sent or not,
whether it was applied, and what is still open. Changes made elsewhere are not included: the service has no list of changes.`,
  tool: { description: 'List the changes of the store that were sent from this machine, newest first.' },
  options: [
    {
      flag: '--operation',
      value: 'NAME',
      description: 'Show only this operation, for example backup.create',
      complete: recordedOperations,
      input: { type: 'string', enum: recordedOperations },
    },
    {
      flag: '--state',
      value: 'STATE',
      description: `Show only this state: ${states.join(', ')}; unknown is in doubt, open is what resume takes`,
      complete: states,
      input: { type: 'string', enum: states },
    },
    limitOption,
  ],
  responseFields: () => recordFields,
  examples: ['history list', 'history list --operation backup.create --json', 'history list --state open'],
  async run({ ui, session, parsed }) {
    const operation = choiceOf(parsed, '--operation', recordedOperations);
    const state = choiceOf(parsed, '--state', states);
    const limit = readLimit(parsed, ui);
    const history = await session.history();
    // All records are needed to know what was undone, and which short ids are unique.
    const { records: all, problems } = history.snapshot().list();
    const records = all
      .filter((record) => operation === undefined || record.operation === operation)
      .filter((record) => state === undefined || isIn(state, record));
    for (const { message, advice } of problems) {
      ui.notice(line`warning: ${message}`, 'yellow');
      if (advice !== null) ui.notice(line`  ${advice}`);
    }
    if (problems.some(isDamage))
      ui.notice(
        phrase`Run ${toRun('history', 'repair')} to keep what can be read. Until then, changes that read it are not sent.`,
      );
    const summaries = summarize(records.slice(0, limit), all);
    const isFiltered = operation !== undefined || state !== undefined;
    printList(ui, summaries, {
      fields: recordFields,
      empty: isFiltered
        ? line`No matching records on this machine.`
        : line`No history yet on this machine for this store.`,
      show() {
        const seen = readSeen(history.journal.folder).map(({ id }) => id);
        const made = all.flatMap((record) => [objectIdOf(record), textAt(receivedBody(record), ['id'])]);
        ui.print(drawHistory(summaries, ui, [...seen, ...made.filter((id) => id !== null)]));
        ui.notice(line`Stored in ${history.journal.folder}`);
        if (records.some(({ open }) => open))
          ui.notice(phrase`Run ${toRun('resume')}: it finishes open changes, or says what to do about them.`);
        noticeMore(ui, records.length, limit, countRecords(records));
      },
    });
  },
};

/** Whether a record is in a state that the user asked for. A record in doubt that says `sent` counts as `unknown`. */
function isIn(state: (typeof states)[number], record: HistoryRecord): boolean {
  if (state === 'open') return record.open;
  return record.state === state || (state === 'unknown' && isInDoubt(record));
}

/** A change in the list, with the undo of it. */
type ListedChange = RecordSummary & { readonly undoneBy: string | null };

/** A restore has the label of its backup, or the id if this machine does not know the label. */
function summarize(records: readonly HistoryRecord[], all: readonly HistoryRecord[]): ListedChange[] {
  const known = knownObjects('backup', all);
  const undoneBy = indexUndos(all);
  return records.map((record) => {
    const summary = { ...recordSummary(record), undoneBy: undoneBy(record)?.id ?? null };
    if (record.operation !== restoreBackup.id || record.undoes !== null) return summary;
    const backupId = objectIdOf(record);
    const label = known.find(({ id }) => id === backupId)?.fields.label;
    return { ...summary, label: typeof label === 'string' ? label : backupId };
  });
}

/** The table. Where it has to be narrow, labels are cut, and ids are short, but differ from all of `known`. */
function drawHistory(summaries: readonly ListedChange[], { out }: Ui, known: readonly string[]): Printable {
  const id = /\b[\da-f]{8}-[\da-f-]{27}$/;
  const rowsWith = (isWhole: boolean) => {
    const shown = (text: string) => (isWhole ? text : text.replace(id, (whole) => shortenId(whole, known)));
    return summaries.map((summary) => [
      summary.id,
      formatAge(Date.now() - Date.parse(summary.createdAt)),
      summary.operation,
      truncateText(line`${shown(summary.label || '-')}`, maxLabelWidth),
      describeResult({ ...summary, result: summary.result && shown(summary.result) }, out),
    ]);
  };
  return renderLines(header, rowsWith, [header.indexOf('label')], out);
}

/** The state in words, or as a mark in a terminal if it is applied, and the id or error after it. */
function describeResult(summary: ListedChange, { color, width, plain }: Style): Cell {
  const { state, open, result, undoneBy } = summary;
  if (undoneBy !== null) return `undone by ${undoneBy}`;
  const words = describeState(summary);
  const isDoubt = state === 'sent' || state === 'unknown';
  const text = result === null || isDoubt || result === markedByHand ? null : result;
  if (state === 'applied' && !open && width !== null && !plain)
    return { drawn: joined([color.green(line`✓`), line`${text ?? words}`], ' ') };
  if (state === 'applied' && !open) return text === null ? words : `${words} ${text}`;
  const paint = open ? color.yellow : color.red;
  return { drawn: joined([paint(line`${words}`), text === null ? line`` : line`: ${text}`], '') };
}
