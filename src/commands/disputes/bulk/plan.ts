import { parseJson } from '../../../base/json.ts';
import { memoize } from '../../../base/memoize.ts';
import { nearName } from '../../../base/nearest-name.ts';
import { listKnown } from '../../../cli/command/known.ts';
import { startProgress } from '../../../cli/command/progress.ts';
import { CliError } from '../../../cli/core/errors.ts';
import { type ExitCode, exitCodes } from '../../../cli/core/exit-codes.ts';
import { textAt } from '../../../cli/core/field-path.ts';
import { concernsOneItem, forEachConcurrently } from '../../../cli/operation/run/bulk.ts';
import type { Run } from '../../../cli/operation/run/run.ts';
import { sendOptions } from '../../../cli/operation/run/send.ts';
import { buildPath, uuidPattern } from '../../../contract/operation.ts';
import { decideDispute } from '../../../contract/operations/disputes.ts';
import type { KnownObject } from '../../../history/known-objects.ts';
import { isOpen } from '../../../history/records/outline.ts';
import { type HistoryRecord, isUntold, mayHaveBeenApplied } from '../../../history/records/record.ts';
import { resumeRecord } from '../../../history/sending/resume.ts';
import { compareDecision, describeConflict, readDispute, usualStatuses } from '../dispute-status.ts';
import { type Decision, type DecisionsFile, isSameDecision } from './decisions-file.ts';
import type { RowOutcome } from './row-result.ts';

/** The plan of a row: `decide`, or its outcome if that is already known. */
export interface PlannedRow {
  readonly line: number;
  readonly disputeId: string | null;
  readonly decision: Decision | null;
  readonly plan: 'decide' | RowOutcome;
  /** Why it is not decided; empty if it is. */
  readonly message: string;
  /** A warning about a row that will be decided, or null. */
  readonly warning: string | null;
  /** The dispute record as it was read, or null. */
  readonly before: Record<string, unknown> | null;
}

/** What is known of a row before its dispute is read. */
export const unread = { decision: null, message: '', warning: null, before: null } as const;

const maxConcurrentReads = 4;

/** The run that reads and decides the dispute of one row. */
export function runOfRow(run: Run, disputeId: string, decision: Decision): Run {
  return { ...run, request: { ...run.request, parameters: { disputeId }, body: { ...decision } } };
}

/**
 * Reads every dispute of the file and plans its row, in the order of the file. A dispute that does not exist or is refused
 * affects only its row; errors that concern all rows (no connection, no key) are thrown.
 */
export async function planDecisions(
  run: Run,
  file: DecisionsFile,
  expected: string,
  known: ReadonlyMap<string, HistoryRecord>,
): Promise<PlannedRow[]> {
  const planned: PlannedRow[] = [
    ...file.invalid.map((row) => ({ ...unread, ...row, plan: 'invalid' as const })),
    ...file.repeated.map(({ line, disputeId, message, ...decision }) => {
      return { ...unread, line, disputeId, decision, message, plan: 'repeated' as const };
    }),
  ];
  const sent = await sentDecisions(run);
  const disputes = memoize(() => listKnown(run.ui.context, 'dispute'));
  const taken = [...usualStatuses, ...sent.map(({ status }) => status)];
  const planRow = async ({ line, disputeId, ...decision }: DecisionsFile['rows'][number]) => {
    const own = known.get(pathOf(run.target.storeId, disputeId));
    const read = considerHistory(
      await assessRow(runOfRow(run, disputeId, decision), decision, expected),
      decision,
      own,
    );
    const found = await explainWrongId(refuseUnknownStatus(read, decision, taken), disputeId, disputes);
    planned.push({ line, disputeId, decision, ...found });
    if (!run.ui.context.io.signal.aborted) progress.step(null);
  };
  const progress = startProgress(run.ui.context, file.rows.length, 'disputes read');
  await forEachConcurrently(file.rows, maxConcurrentReads, planRow).finally(progress.end);
  return planned.sort((a, b) => a.line - b.line);
}

/** The decisions that this machine recorded in the store, the newest first. */
export async function sentDecisions({ target, ui: { context } }: Run): Promise<Decision[]> {
  const { origin, storeId } = target;
  const history = await context.history();
  const { records } = await history.list({ operation: decideDispute.id, state: 'applied', origin, storeId });
  return records.map(decisionOf);
}

function decisionOf({ body }: HistoryRecord): Decision {
  const sent: unknown = parseJson(body);
  return { status: textAt(sent, ['status']) ?? '', resolution: textAt(sent, ['resolution']) ?? '' };
}

/** Says which dispute is meant if this machine knows one with this case or order, or that this is no id. */
async function explainWrongId(
  found: Found,
  disputeId: string,
  disputes: () => Promise<readonly KnownObject[]>,
): Promise<Found> {
  if (found.plan !== 'not_found') return found;
  for (const [name, kind] of Object.entries({
    providerCaseId: 'a provider case id',
    orderId: 'an order id',
  })) {
    const meant = (await disputes()).find(({ fields }) => fields[name] === disputeId);
    if (meant !== undefined) return { ...found, message: `${kind}; the id of the dispute is ${meant.id}` };
  }
  if (uuidPattern.test(disputeId)) return found;
  if (!/^[\da-f]{8}[\da-f-]*$/i.test(disputeId))
    return { ...found, message: 'not the id of a dispute, which is a UUID' };
  const [meant, ...others] = (await disputes()).filter(({ id }) => id.startsWith(disputeId.toLowerCase()));
  const named = meant === undefined || others.length > 0 ? '' : `; did you mean ${meant.id}?`;
  return { ...found, message: `not the whole id of a dispute${named}` };
}

/** A misspelt status in a file would be the final decision of many disputes. */
function refuseUnknownStatus(found: Found, { status }: Decision, taken: readonly string[]): Found {
  if (found.plan !== 'decide' || taken.includes(status)) return found;
  const near = nearName(usualStatuses, status);
  return {
    ...found,
    plan: 'invalid',
    message: `unknown status "${status}"${near === null ? '; use won, lost or withdrawn' : `: did you mean ${near}?`}`,
    warning: null,
  };
}

/** What reading the dispute of a row says about it. */
type Found = Pick<PlannedRow, 'plan' | 'message' | 'warning' | 'before'> & { readonly readAt?: number };

/** Reads the dispute of a row and plans it. */
export async function assessRow(run: Run, decision: Decision, expected: string): Promise<Found> {
  try {
    const dispute = await readDispute(run);
    const found = { message: '', warning: null, before: dispute.record, readAt: dispute.readAt };
    const comparison = compareDecision(dispute, decision, expected);
    if (comparison === 'decide') return { ...found, plan: 'decide' };
    if (comparison === 'same')
      return { ...found, plan: 'unchanged', message: `already decided as ${decision.status}` };
    const message = describeConflict(dispute, expected, decision.status);
    const isFinal = usualStatuses.includes(String(dispute.record.status));
    return { ...found, plan: 'conflict', message: isFinal ? `${message}; a decision is final` : message };
  } catch (error) {
    if (!(error instanceof CliError) || !concernsOneItem(error.details.exitCode)) throw error;
    return { ...outcomeOfError(error), warning: null, before: null };
  }
}

/** The outcome of a row whose read or decision failed. */
export function outcomeOfError({ details }: CliError): { plan: RowOutcome; message: string } {
  const byExitCode: Partial<Record<ExitCode, RowOutcome>> = {
    [exitCodes.notFound]: 'not_found',
    [exitCodes.conflict]: 'conflict',
    [exitCodes.unknown]: 'unknown',
  };
  const refused = details.fields?.map(({ field, detail }) => `${field}: ${detail}`).join('; ');
  const message = refused ? `${refused} (${details.status} ${details.code})` : details.message;
  // The id is in the row.
  const short = message.replace(/^dispute \S+ not found in store \S+$/, 'not found in this store');
  return { plan: byExitCode[details.exitCode] ?? 'rejected', message: short };
}

/**
 * Says which decisions this machine has made or may have made. One that was not reported yet is reported, even if the
 * dispute cannot be read now.
 */
function considerHistory(found: Found, decision: Decision, own: HistoryRecord | undefined): Found {
  if (own !== undefined && mayHaveBeenApplied(own) && found.plan === 'decide') {
    const message = `an earlier decision may have been applied: settle it with \`storectl resume ${own.id}\``;
    return { ...found, plan: 'unknown', message };
  }
  if (own?.state !== 'applied' || !isSameDecision(decision, decisionOf(own))) return found;
  if (found.plan === 'decide') {
    const warning = 'decided by an earlier run but open again (was the store restored from a backup?)';
    return { ...found, warning };
  }
  const isOurs = found.plan === 'unchanged' || (found.before === null && isUntold(own));
  return isOurs ? { ...found, plan: 'recorded', message: 'decided by an earlier run' } : found;
}

/**
 * The decisions of this machine that were applied, or are in doubt, by {@link pathOf}. If `settles`, open records that an
 * interrupted run has left are settled by reading before.
 */
export async function earlierDecisions(
  run: Run,
  disputeIds: readonly string[],
  settles: boolean,
): Promise<ReadonlyMap<string, HistoryRecord>> {
  const { context } = run.ui;
  const { origin, storeId, client } = run.target;
  const paths = new Set(disputeIds.map((disputeId) => pathOf(storeId, disputeId)));
  const history = await context.history();
  const { records } = await history.list({ operation: decideDispute.id, origin, storeId });
  const known = new Map<string, HistoryRecord>();
  for (const found of records) {
    const { path } = found;
    if (!paths.has(path)) continue;
    const options = { ...sendOptions(context), history, client, record: found, origin, storeId };
    const record = settles && isOpen(found) ? (await resumeRecord(options)).record : found;
    const isDecided = record.state === 'applied' && !known.has(path);
    if (isDecided || mayHaveBeenApplied(record)) known.set(path, record);
  }
  return known;
}

/** The path of a decision, as its record has it. */
export function pathOf(storeId: string, disputeId: string): string {
  return buildPath(decideDispute, { storeId, disputeId });
}
