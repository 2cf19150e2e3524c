import { textAt } from '../../../base/json.ts';
import { type ItemResult, resultDocument } from '../../../cli/batch/item-result.ts';
import type { Run } from '../../../cli/operation/call/run.ts';
import { buildPath } from '../../../contract/operation.ts';
import { decideDispute } from '../../../contract/operations/disputes.ts';
import type { StoreHistory } from '../../../history/history.ts';
import {
  type HistoryRecord,
  isInDoubt,
  logIdOf,
  receivedBody,
  sentBody,
} from '../../../history/record/history-record.ts';
import type { Decision } from '../dispute/dispute-status.ts';
import type { CaseNumber, DecisionRow } from './decisions-file.ts';

export const disputeWords = {
  one: 'dispute',
  many: 'disputes',
  applied: 'decided',
  exists: 'already decided',
  again: 'no dispute is decided twice',
} as const;

/** The same for disputes that are decided one by one. */
export const wordsByHand = { ...disputeWords, notSent: 'still open' } as const;

/** The same for the rows of a file, which are compared with what is decided. */
export const rowWords = {
  ...disputeWords,
  exists: 'already decided with this status and resolution',
  skipped: 'skipped because another row says the same',
  fix: 'correct or remove the rows that failed',
} as const;

/** The run that reads and decides one dispute. */
export function runFor(run: Run, disputeId: string, body: Run['request']['body'] = null): Run {
  return { ...run, request: { ...run.request, parameters: { disputeId }, body } };
}

/** What identifies the dispute of a row, as the file has it: a person looks for it there. */
export function nameOfCase({ disputeId, number }: Pick<DecisionRow, 'disputeId' | 'number'>): string {
  return number?.value ?? disputeId;
}

/** The number in place of the id, as documents have it: `{ providerCaseId: 'dp_1' }`. */
export function numberOf({ number }: { readonly number?: CaseNumber | null }): Record<string, string> {
  return number ? { [number.column]: number.value } : {};
}

/** Finds the decision of this machine on a dispute: the one in doubt, else the newest that was applied. */
export type FindOwn = (disputeId: string) => HistoryRecord | null;

export function readOwnDecisions(history: StoreHistory): FindOwn {
  const { records } = history.snapshot().list({ operation: decideDispute.id });
  // What another process is sending is not in doubt: its outcome is waited for before the row is sent.
  const doubts = records.filter(
    (record) => isInDoubt(record) && !history.isHeldElsewhere(logIdOf(record.id)),
  );
  const byPath = new Map<string, HistoryRecord>();
  for (const record of [...doubts, ...records.filter(({ state }) => state === 'applied')])
    if (!byPath.has(record.path)) byPath.set(record.path, record);
  const { storeId } = history.journal.store;
  return (disputeId) => byPath.get(buildPath(decideDispute, { storeId, disputeId })) ?? null;
}

/** The decision in the request of a record. */
export function sentDecision(record: HistoryRecord): Decision {
  const sent = sentBody(record);
  return { status: textAt(sent, ['status']) ?? '', resolution: textAt(sent, ['resolution']) ?? '' };
}

/**
 * The result of a dispute, as `--json` and `--output-file` have it: what was decided, when, and what the service answered, now
 * or in an earlier run of this machine. `line` is that of the file, or the place among the ids.
 */
export function documentOfRow(
  {
    line,
    disputeId,
    number = null,
    ...given
  }: Partial<Decision & Pick<DecisionRow, 'number'>> & Pick<DecisionRow, 'line' | 'disputeId'>,
  result: ItemResult,
  { baseUrl, storeId }: StoreHistory['journal']['store'],
) {
  const { record } = result;
  const request = record && sentBody(record);
  return {
    line,
    disputeId,
    ...numberOf({ number }),
    status: given.status ?? textAt(request, ['status']),
    resolution: given.resolution ?? textAt(request, ['resolution']),
    ...resultDocument(result),
    at: record === null ? null : (record.response?.receivedAt ?? record.sentAt),
    profile: record?.profile ?? null,
    baseUrl,
    storeId,
    replacedStatus: record?.replaced?.status ?? null,
    request,
    response: record && receivedBody(record),
  };
}
