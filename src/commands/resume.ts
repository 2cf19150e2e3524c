import type { CommandDefinition } from '../cli/command/command-definition.ts';
import type { Context } from '../cli/command/context.ts';
import { printJson } from '../cli/command/print-json.ts';
import { nameProfileInCommands } from '../cli/config/connection-settings.ts';
import { CliError, cancelledError, usageError } from '../cli/core/errors.ts';
import { type ExitCode, exitCodes } from '../cli/core/exit-codes.ts';
import { argumentValue, optionValue } from '../cli/core/parsed-command.ts';
import { printable } from '../cli/core/sanitize.ts';
import { outcomeError } from '../cli/operation/run/outcome-error.ts';
import { idIfAny, noticeDone } from '../cli/operation/run/print-result.ts';
import { sendOptions } from '../cli/operation/run/send.ts';
import { answerBody, describeState, recordSummary } from '../cli/output/record-summary.ts';
import { renderIndented, rowsOf } from '../cli/output/tables.ts';
import { wrapText } from '../cli/output/wrap.ts';
import { chooseOrFail } from '../cli/prompts/ask-or-fail.ts';
import type { Choice } from '../cli/prompts/prompts.ts';
import { askFirst } from '../cli/prompts/questions.ts';
import { isOpen } from '../history/records/outline.ts';
import { type HistoryRecord, isUntold } from '../history/records/record.ts';
import { markRecord, type Resumed, resumeRecord, unsettledRecords } from '../history/sending/resume.ts';

/** The result for one open record. */
interface Report {
  readonly id: string;
  readonly operation: string;
  /** Label, title or name in the request. Untrusted text. */
  readonly label: string | null;
  readonly action: Resumed['action'];
  readonly state: HistoryRecord['state'];
  readonly attempts: number;
  /** The service's answer, where the operation was applied. */
  readonly result: unknown;
  readonly message: string;
  readonly exitCode: ExitCode;
}

export const command: CommandDefinition = {
  description: `Finish changes that were interrupted, or that were sent without a readable response. A change with an
idempotency key is sent again with the same key and the same bytes, so it takes effect once. For others, resume reads the
result from the store where that is possible. Where neither is possible, the change stays open, and resume says what to do.`,
  tool: {
    description:
      'Settle a change whose outcome is unknown: by reading from the store where that shows it, or by sending the same request again where that is safe.',
    sends: 'recorded',
    inputs: { id: 'ID of the change, from its result or history_list' },
  },
  arguments: [
    {
      name: 'id',
      description: 'ID of one change (default: all open changes)',
      optional: true,
      complete: 'open-record',
    },
  ],
  options: [
    {
      flag: '--mark',
      value: 'OUTCOME',
      complete: ['applied', 'not-applied'],
      description: 'Send nothing; record what you found in the store: applied or not-applied',
    },
  ],
  dryRun: true,
  examples: ['resume', 'resume 7k3f9a --json', 'resume 7k3f9a --mark not-applied'],
  async run(context, parsed) {
    const history = await context.history();
    history.assertUndamaged();
    const id = argumentValue(parsed, 'id');
    const mark = optionValue(parsed, '--mark');
    if (mark !== undefined) return await markByHand(context, id, mark);
    const records = id === undefined ? await chooseRecords(context) : [await history.get(id)];
    if (records.length === 0) {
      context.notice('Nothing to resume.');
      if (context.flags.json) context.print('[]');
      return undefined;
    }
    if (!context.flags.dryRun) await confirmSending(context, records);
    const reports: Report[] = [];
    for (const record of records) reports.push(await resumeOne(context, record));
    summarize(context, reports);
    print(context, reports, id !== undefined);
    const { explainRestore } = await import('../cli/operation/restore-result.ts');
    for (const record of context.flags.quiet ? [] : context.applied) await explainRestore(context, record);
    return reports.find(({ exitCode }) => exitCode !== exitCodes.done)?.exitCode;
  },
};

/** Closes a record with what the user found in the store. */
async function markByHand(context: Context, id: string | undefined, mark: string): Promise<undefined> {
  const outcomes = { applied: 'applied', 'not-applied': 'not_sent' } as const;
  if (mark !== 'applied' && mark !== 'not-applied') {
    throw usageError(`--mark must be applied or not-applied (got "${mark}")`, 'for example --mark applied');
  }
  const history = await context.history();
  const wanted = id ?? (await chooseRecordToMark(context, mark));
  if (wanted === null) return undefined;
  const record = await markRecord(
    { history, signal: context.io.signal },
    (await history.get(wanted)).id,
    outcomes[mark],
  );
  if (record.state !== outcomes[mark]) {
    throw new CliError({
      code: 'already_settled',
      exitCode: exitCodes.conflict,
      message: `${record.id} is already settled (${record.state}); only open records can be marked`,
      hint: `run \`storectl history show ${record.id}\` for details`,
      operationId: record.id,
    });
  }
  noticeDone(context, `Marked ${record.id} as ${mark}`);
  if (context.flags.json) printJson(context, recordSummary(record, context.now()));
}

/** Null if nothing is open. */
async function chooseRecordToMark(context: Context, mark: string): Promise<string | null> {
  if (!context.canPrompt)
    throw usageError(
      '--mark needs the id of one record',
      'for example `storectl resume 7k3f9a --mark applied`',
    );
  const records = await openRecords(context);
  if (records.length > 0) return chooseOpen(context, records, `Which change do you want to mark as ${mark}?`);
  context.notice('Nothing to resume.');
  return null;
}

/** Oldest first, because later changes may build on earlier ones. */
async function openRecords(context: Context): Promise<HistoryRecord[]> {
  const { records } = await (await context.history()).list({ open: true });
  return records.reverse();
}

/** All that is to be settled or reported. In a terminal, the user chooses one or all if several are to be settled. */
async function chooseRecords(context: Context): Promise<HistoryRecord[]> {
  const records = await unsettledRecords(await context.history());
  const open = records.filter(isOpen);
  if (open.length < 2 || !context.canPrompt) return records;
  const chosen = await chooseOpen(context, open, 'Which change do you want to resume?', [
    { value: '', name: `All (${open.length} changes)` },
  ]);
  return records.filter(({ id }) => chosen === '' || id === chosen);
}

async function chooseOpen(
  context: Context,
  records: readonly HistoryRecord[],
  message: string,
  others: readonly Choice[] = [],
): Promise<string> {
  const { asChoice } = await import('../cli/operation/questions/choose-record.ts');
  const choices = records.map((record) => asChoice(record, context.now())).reverse();
  const missing = { field: 'id', give: '[id]', description: 'id of one record' };
  return askToResume(() => chooseOrFail(context, missing, message, [...others, ...choices]));
}

/** In a terminal, shows the changes that may be sent again and asks. Throws exit 130 if the answer is no. */
async function confirmSending(context: Context, records: readonly HistoryRecord[]): Promise<void> {
  const sent = records.filter((record) => isOpen(record) && record.class !== 'one-shot');
  if (sent.length === 0 || !context.canPrompt) return;
  const { asChoice } = await import('../cli/operation/questions/choose-record.ts');
  const { askYesNo } = await import('../cli/prompts/prompts.ts');
  for (const record of sent) {
    const { method, path, body } = record;
    context.notice(asChoice(record, context.now()).name);
    const fields = body === null ? {} : JSON.parse(body);
    const rows = rowsOf(fields, { now: context.now(), currency: null });
    context.notice(renderIndented([['Method', method], ['Path', printable(path)], ...rows], context.err));
  }
  if (sent.some((record) => record.class === 'keyed'))
    context.notice('Each change keeps its idempotency key, so it is applied only once.');
  const question = sent.length === 1 ? 'Send this change again?' : `Send these ${sent.length} changes again?`;
  if (!(await askToResume(() => askYesNo(context.io, question, true)))) throw notSentAgain;
}

const notSentAgain = cancelledError('nothing was sent again');

/** As {@link askFirst}, about changes that may have been sent before. */
async function askToResume<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  return askFirst(ask).catch((error: unknown) => {
    throw error instanceof CliError && error.details.code === 'cancelled' ? notSentAgain : error;
  });
}

async function resumeOne(context: Context, record: HistoryRecord): Promise<Report> {
  const connection = await context.connect();
  const history = await context.history();
  connection.client.pause(history.waitFor(connection));
  const resumed = await resumeRecord({
    ...sendOptions(context),
    history,
    client: connection.client,
    record,
    origin: connection.origin,
    storeId: connection.storeId,
    withoutSending: context.flags.dryRun,
    onWait: () => context.notice('Waiting for another storectl command to finish…'),
  });
  const { action, record: after } = resumed;
  const common = {
    id: after.id,
    operation: after.operation,
    label: recordSummary(after, context.now()).label,
    action,
    state: after.state,
    attempts: after.attempts,
    result: after.state === 'applied' ? answerBody(after) : null,
  };
  if (action === 'left') {
    const exitCode =
      after.state === 'unknown' || after.state === 'sent' ? exitCodes.unknown : exitCodes.inputNeeded;
    return { ...common, message: nameProfileInCommands(resumed.advice, context.flags.profile), exitCode };
  }
  for (const warning of resumed.warnings) context.notice(context.err.color.yellow(printable(warning)));
  if (resumed.outcome.kind === 'applied') {
    context.applied.push(after);
    return { ...common, message: describeApplied(record), exitCode: exitCodes.done };
  }
  if (resumed.outcome.kind === 'not_sent') {
    const message = `not applied: ${resumed.outcome.failure.message}`;
    return { ...common, message, exitCode: exitCodes.notApplied };
  }
  const sent = { class: after.class, recordId: after.id };
  const { message, hint, exitCode } = outcomeError(context, resumed.outcome, sent).details;
  const next = exitCode === exitCodes.unknown && hint !== undefined ? `; ${hint}` : '';
  return { ...common, message: nameProfileInCommands(message + next, context.flags.profile), exitCode };
}

/** The first line: how many changes are settled now, and how many are not. */
function summarize(context: Context, reports: readonly Report[]): void {
  const news = reports.filter(({ message }) => message !== settledBefore);
  if (news.length === 0) context.notice('Nothing to resume.');
  const failed = news.filter(({ exitCode }) => exitCode !== exitCodes.done);
  const count = news.length - failed.length;
  if (count === 0) return;
  const done = `Resumed ${count === 1 ? '1 change' : `${count} changes`}`;
  const open = failed.filter(isOpen).length;
  const others = [
    open && `${open} still open`,
    failed.length - open && `${failed.length - open} not applied`,
  ];
  if (failed.length === 0) noticeDone(context, done);
  else context.notice([done, ...others.filter(Boolean)].join(', '));
}

const settledBefore = 'already applied';

/** A batch prints results as it goes, so the user may have seen this one before the command was killed. */
function describeApplied(record: HistoryRecord): string {
  if (isOpen(record)) return 'applied';
  if (!isUntold(record)) return settledBefore;
  return record.batch === null ? 'applied, but not reported before' : 'applied before the command ended';
}

/** A line for each record, those that are settled first. What is left to do is said once, below all that it concerns. */
function print(context: Context, reports: readonly Report[], single: boolean): void {
  if (context.flags.json) {
    printJson(context, single ? reports[0] : reports);
    return;
  }
  const groups = new Map<string, Report[]>();
  const isDone = ({ exitCode }: Report) => exitCode === exitCodes.done;
  for (const report of [...reports.filter(isDone), ...reports.filter((report) => !isDone(report))]) {
    const { id, message, exitCode } = report;
    const key = exitCode === exitCodes.done ? id : message.replaceAll(id, 'ID');
    groups.set(key, [...(groups.get(key) ?? []), report]);
  }
  for (const [key, group] of groups) {
    for (const report of group) printReport(context, report);
    const [{ message, exitCode } = { message: '', exitCode: exitCodes.done }] = group;
    if (context.flags.quiet || exitCode === exitCodes.done) continue;
    // Without an id, resume takes all of them.
    const advice = printable(group.length === 1 ? message : key.replaceAll('resume ID`', 'resume`'));
    const { width } = context.out;
    context.print((width === null ? advice : wrapText(advice, width - 2)).replace(/^/gm, '  '));
  }
}

function printReport(
  context: Context,
  { id, operation, label, state, message, result, exitCode }: Report,
): void {
  const created = idIfAny(result) ?? null;
  const createdId = created === null ? null : String(created);
  if (context.flags.quiet) {
    if (createdId !== null) context.print(printable(createdId));
    return;
  }
  const outcome = exitCode === exitCodes.done ? message : describeState({ state, open: isOpen({ state }) });
  const words = [id, operation, label, outcome, createdId].filter((word) => word !== null);
  const line = words.map(printable).join('  ');
  context.print(context.out.width === null ? line : wrapText(line, context.out.width));
}
