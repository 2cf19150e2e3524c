import { endBatch } from '../../cli/batch/end-batch.ts';
import { countItems, type Ended, makeResult } from '../../cli/batch/item-result.ts';
import { runBatch } from '../../cli/batch/run-batch.ts';
import type { CommandDefinition, CommandResult } from '../../cli/command/command-definition.ts';
import { printJson } from '../../cli/command/print-json.ts';
import type { Session } from '../../cli/command/session.ts';
import type { Ui } from '../../cli/command/ui.ts';
import { demoProfile } from '../../cli/config/connection-settings.ts';
import { commandLine } from '../../cli/config/phrase.ts';
import { cancelledError, usageError } from '../../cli/core/errors.ts';
import { argumentValue, choiceOf } from '../../cli/core/parsed-command.ts';
import { joined, line, type Printable, printableInOneLine } from '../../cli/core/sanitize.ts';
import { noticeUndo, printSuccess } from '../../cli/operation/result/print-result.ts';
import { withHistoryErrors } from '../../cli/operation/send/refusals.ts';
import { changeOptions, noteRecording } from '../../cli/operation/send/send.ts';
import { describeState, recordChoice, recordSummary } from '../../cli/output/record-summary.ts';
import { renderIndented, rowsOf } from '../../cli/output/tables.ts';
import { agrees } from '../../cli/prompts/ask-or-fail.ts';
import { openRecords, previewResume } from '../../history/changes/plan-resume.ts';
import { hasUndo } from '../../history/changes/replaced-values.ts';
import { markRecords, type ResumeResult, resumeRecord } from '../../history/changes/resume.ts';
import { rememberStoreName } from '../../history/objects/seen-objects.ts';
import { rulesOf } from '../../history/operation-rules.ts';
import { type HistoryRecord, logIdOf, objectIdOf, sentBody } from '../../history/record/history-record.ts';
import { safetyLabelOf } from '../backup/for-others.ts';
import {
  cellsOf,
  changeWords,
  createdId,
  describePlan,
  describeReported,
  documentOfChange,
  resultOfResumed,
} from './describe.ts';

/** The values of `--mark`. */
const outcomes = ['applied', 'not-applied'] as const;

export const command: CommandDefinition = {
  description: `Finish changes that were interrupted, or that were sent without a readable response. What can be neither read
from the store nor safely sent again stays open, and resume says what to do.`,
  details: `A change is sent again with the same idempotency key and the same bytes where the service applies keys once, so it takes
effect once. What was sent more than 20 hours ago is sent again only after a yes, in a terminal.`,
  tool: {
    description:
      'Settle a change that is in doubt: by reading from the store where that shows it, or by sending the same request again where that is safe.',
    sends: 'recorded',
    inputs: { id: 'ID of the change, from its result or history_list' },
  },
  arguments: [
    {
      name: 'id',
      description: 'ID of one change, or of a batch (default: all open changes)',
      optional: true,
      complete: 'open-record',
    },
  ],
  options: [
    {
      flag: '--mark',
      value: 'OUTCOME',
      complete: outcomes,
      description: 'Send nothing; record what you found in the store: applied or not-applied',
    },
  ],
  dryRun: true,
  withoutEffect: 'nothing was sent',
  examples: ['resume', 'resume k3f9a2 --json', 'resume k3f9a2 --mark not-applied'],
  async run({ ui, session, parsed }) {
    const id = argumentValue(parsed, 'id');
    const mark = choiceOf(parsed, '--mark', outcomes);
    if (mark !== undefined) return markByHand(ui, session, id, mark);
    const records = await findRecords(ui, session, id);
    if (records.length === 0) {
      ui.notice('Nothing to resume. To continue a batch, run its command again.');
      if (ui.json) ui.print('[]');
    }
    try {
      if (records.length === 0) return undefined;
      if (session.flags.dryRun) return await printDryRun(ui, session, records);
      return await resumeAll(ui, session, records, id);
    } finally {
      await noteOtherStores(ui, session);
    }
  },
};

/** Marks changes in doubt with the state that the user found in the store: the change with this id, or all of the log with this id. */
async function markByHand(
  ui: Ui,
  session: Session,
  id: string | undefined,
  mark: (typeof outcomes)[number],
): Promise<undefined> {
  if (id === undefined)
    throw usageError('--mark needs the id of a change', [
      { run: ['history', 'list', '--state', 'open'], rest: 'to see the ids' },
    ]);
  const history = await session.history();
  const { signal } = ui.io;
  const state = mark === 'applied' ? mark : 'not_sent';
  const marked = await withHistoryErrors(session, () => markRecords(history, id, state, { signal }));
  const what = marked.length === 1 ? (marked[0]?.id ?? id) : `${marked.length} changes of ${id}`;
  printSuccess(ui, `Marked ${what} as ${mark}`);
  const summaries = marked.map((record) => recordSummary(record));
  if (ui.json) printJson(ui, marked.length === 1 ? summaries[0] : summaries);
}

/** The open changes to resume, oldest first, because later changes may build on earlier ones. */
async function findRecords(
  ui: Ui,
  session: Session,
  id: string | undefined,
): Promise<readonly HistoryRecord[]> {
  const history = await session.history();
  // A log that cannot be read may have a later change, so every log has to be readable.
  const all = openRecords(history);
  if (id !== undefined) return history.snapshot().recordsOf(id);
  const held = all.filter((record) => previewResume(history, record) === 'running');
  if (held.length > 0) {
    const ids = held.map((record) => record.id).join(', ');
    ui.notice(
      line`${countItems(held.length, changeWords)} left out: another storectl command is working on ${ids}.`,
    );
  }
  return all.filter((record) => !held.includes(record));
}

async function resumeAll(
  ui: Ui,
  session: Session,
  records: readonly HistoryRecord[],
  id: string | undefined,
): Promise<CommandResult> {
  const history = await session.history();
  // With its ETag, a change that meets another one is refused; others that are sent again are applied once, or change nothing more.
  const mayReplace = (record: HistoryRecord) =>
    record.open &&
    record.ifMatch === null &&
    rulesOf(record.operation).inOrder === true &&
    previewResume(history, record) === 'send';
  if (ui.canAsk) await confirmSending(ui, records.filter(mayReplace));
  const actions = new Map<HistoryRecord, ResumeResult['action']>();
  const end = await runBatch(ui, {
    words: changeWords,
    items: records,
    total: null,
    atOnce: 1,
    known: (record) =>
      record.open ? null : makeResult('exists', { record, message: describeState(recordSummary(record)) }),
    open: async ({ signal }) => ({
      async send(record) {
        const resumed = await resumeOne(ui, session, record, {
          signal,
          isNamed: id?.toLowerCase() === record.id,
        });
        actions.set(record, resumed.action);
        return resultOfResumed(session, resumed, records.length === 1 ? record.id : 'ID');
      },
    }),
    cells: cellsOf,
    id: (_, { record }) => createdId(record),
  });
  const documents = end.ended.map(({ item, result }) =>
    documentOfChange(item, result, actions.get(item) ?? null),
  );
  try {
    return await endBatch(ui, changeWords, end, {
      document: id?.toLowerCase() === records[0]?.id ? documents[0] : documents,
    });
  } finally {
    for (const text of describeReported([...actions.values()])) ui.notice(line`${text}`);
    await noteMore(ui, session, end.ended);
  }
}

/** Shows changes that would overwrite values that others may have set since, and asks. Throws exit 130 for a no. */
async function confirmSending(ui: Ui, records: readonly HistoryRecord[]): Promise<void> {
  if (records.length === 0) return;
  for (const record of records) showRequest(ui, record);
  const question =
    records.length === 1
      ? 'Send this change again, in place of what was changed since?'
      : `Send these ${records.length} changes again, in place of what was changed since?`;
  if (!(await agrees(ui, question))) throw cancelledError();
}

function showRequest(ui: Ui, record: HistoryRecord): void {
  const { method, path } = record;
  ui.notice(line`${recordChoice(record).name}`);
  const rows = rowsOf(sentBody(record) ?? {});
  ui.notice(renderIndented([['Method', method], ['Path', path], ...rows], ui.err));
}

/** Resumes one change. A terminal is asked about a change that is sent only after a yes. */
async function resumeOne(
  ui: Ui,
  session: Session,
  record: HistoryRecord,
  { signal, isNamed }: { readonly signal: AbortSignal; readonly isNamed: boolean },
): Promise<ResumeResult> {
  const target = await session.connect();
  const history = await session.history();
  const isRestore = rulesOf(record.operation).safetyBackupRule !== undefined;
  const safetyLabel = isRestore ? await safetyLabelOf(session, objectIdOf(record) ?? '') : undefined;
  const options = { ...changeOptions({ target, ui, session }), signal, safetyLabel };
  let resumed = await resumeRecord(history, record.id, options);
  if (resumed.action === 'left_open' && (await isWanted(ui, session, resumed, isNamed)))
    resumed = await resumeRecord(history, record.id, { ...options, isConfirmed: true });
  if ('outcome' in resumed) {
    noteRecording(ui, resumed);
    const { outcome } = resumed;
    if (outcome.kind === 'applied') rememberStoreName(history, resumed.record, outcome.body);
  }
  return resumed;
}

/** Whether to send a change that is sent only after a yes. Without a terminal, the id of a recent restore counts as a yes. */
async function isWanted(
  ui: Ui,
  session: Session,
  { record, reason }: Extract<ResumeResult, { action: 'left_open' }>,
  isNamed: boolean,
): Promise<boolean> {
  if (reason !== 'needs_yes' && reason !== 'too_old') return false;
  if (!ui.canAsk) return isNamed && reason === 'needs_yes';
  showRequest(ui, record);
  ui.notice(joined(warningsOf(record, reason), ' '));
  const isRestore = rulesOf(record.operation).safetyBackupRule !== undefined;
  if (!(await agrees(ui, isRestore ? 'Restore this backup again?' : 'Send this change again?'))) return false;
  if (isRestore) {
    const { confirmRestore } = await import('./unfinished-restore.ts');
    await confirmRestore(ui, session, record);
  }
  return true;
}

/** Sentences that a user has to know before a change is sent again. */
function warningsOf(
  { operation, class: how }: HistoryRecord,
  reason: 'needs_yes' | 'too_old',
): readonly Printable[] {
  const isRestore = rulesOf(operation).safetyBackupRule !== undefined;
  const isOld = reason === 'too_old';
  return [
    ...(isOld ? [line`It was sent more than 20 hours ago.`] : []),
    ...(isOld && how !== 'repeatable'
      ? [line`If the service has forgotten its idempotency key, it is done twice.`]
      : []),
    ...(isRestore ? [line`It replaces what was changed since; a new safety backup is taken first.`] : []),
    ...(how === 'repeatable' ? [line`It replaces what was changed since.`] : []),
  ];
}

/** Prints how to undo applied changes, which restores were not begun, and that a batch may have items left. */
async function noteMore(ui: Ui, session: Session, ended: readonly Ended<HistoryRecord>[]): Promise<void> {
  const history = await session.history();
  if (ended.some(({ item }) => item.id !== logIdOf(item.id) && item.safetyBackupFor === null))
    ui.notice('To continue a batch, run its command again.');
  const { findUnfinished, offerRestore } = await import('./unfinished-restore.ts');
  for (const { result } of ended) {
    const { record, outcome } = result;
    if (record === null || outcome !== 'applied') continue;
    if (hasUndo(record)) noticeUndo(ui, session, record);
    const unfinished = findUnfinished(history, record);
    if (unfinished !== null) await offerRestore(ui, session, unfinished);
  }
}

async function printDryRun(ui: Ui, session: Session, records: readonly HistoryRecord[]): Promise<undefined> {
  const history = await session.history();
  const planned = records.map((record) => {
    const { id, operation, label, state } = recordSummary(record);
    const plan = previewResume(history, record);
    const message = record.open ? describePlan(plan) : 'settled before';
    return { id, operation, label, state, plan, message };
  });
  if (ui.json) printJson(ui, planned);
  else
    for (const { id, operation, label, message } of planned)
      ui.print(printableInOneLine([id, operation, label, message].filter(Boolean).join('  ')));
  ui.notice('dry run: nothing was sent');
}

/** Prints which other stores have open changes, and the command for each. */
async function noteOtherStores(ui: Ui, session: Session): Promise<void> {
  const { findOpenElsewhere } = await import('../../history/read-leniently.ts');
  const { folder } = (await session.history()).journal;
  for (const { count, profile, baseUrl, storeId } of findOpenElsewhere(folder)) {
    const command = commandLine(['resume'], {
      profile,
      store: storeId,
      baseUrl: profile === demoProfile ? undefined : baseUrl,
    });
    const where = `store ${storeId} @ ${baseUrl}`;
    ui.notice(line`${countItems(count, changeWords)} of ${where} ${count === 1 ? 'is' : 'are'} open:`);
    ui.noticeUnwrapped(line`  ${command}`);
  }
}
