import { asObject, parseJson } from '../../../base/json.ts';
import { type ItemResult, resultDocument } from '../../../cli/batch/item-result.ts';
import { textAt } from '../../../cli/core/field-path.ts';
import type { Run } from '../../../cli/operation/call/run.ts';
import { answerBody } from '../../../cli/output/record-summary.ts';
import { buildPath } from '../../../contract/operation.ts';
import { decideDispute } from '../../../contract/operations/disputes.ts';
import { type History, logIdOf } from '../../../history/history.ts';
import { type HistoryRecord, isInDoubt } from '../../../history/journal/history-record.ts';
import type { Decision } from './decisions-file.ts';

export const words = {
  one: 'dispute',
  many: 'disputes',
  done: 'Decided',
  applied: 'decided',
  wrong: ['row with an error', 'rows with errors'],
  exists: ['already decided', 'already decided'],
  skipped: ['left for later', 'left for later'],
  again: 'disputes that are already decided are skipped',
} as const;

/** The same for the rows of a file, of which nobody chooses one to skip. */
export const rowWords = { ...words, skipped: ['row repeats another', 'rows repeat others'] } as const;

/** A dispute to be decided, from a file or by hand. */
export interface DecisionRow {
  /** Line of the file, or place among the ids. */
  readonly line: number;
  readonly disputeId: string | null;
  readonly decision: Decision | null;
}

/** The run that reads and decides the dispute of one row. */
export function runOfRow(run: Run, disputeId: string, decision: Decision | null): Run {
  const body = decision && { ...decision };
  return { ...run, request: { ...run.request, parameters: { disputeId }, body } };
}

/** The decisions of this machine. */
export interface EarlierDecisions {
  /** Those that were applied, the newest first. */
  readonly made: readonly Decision[];
  /** The record of a dispute: the one in doubt, else the newest that was applied. */
  recordOf(disputeId: string): HistoryRecord | null;
}

export function readEarlierDecisions(history: History): EarlierDecisions {
  const { records } = history.list({ operation: decideDispute.id });
  const applied = records.filter(({ state }) => state === 'applied');
  // What another process is sending is not in doubt: its outcome is waited for before the row is sent.
  const doubts = records.filter(
    (record) => isInDoubt(record) && !history.isHeldElsewhere(logIdOf(record.id)),
  );
  const byPath = new Map<string, HistoryRecord>();
  for (const record of [...doubts, ...applied]) if (!byPath.has(record.path)) byPath.set(record.path, record);
  const { storeId } = history.journal.store;
  return {
    made: applied.map(decisionOf),
    recordOf: (disputeId) => byPath.get(buildPath(decideDispute, { storeId, disputeId })) ?? null,
  };
}

export function decisionOf({ body }: HistoryRecord): Decision {
  const sent = parseJson(body);
  return { status: textAt(sent, ['status']) ?? '', resolution: textAt(sent, ['resolution']) ?? '' };
}

/**
 * The result of a row, as `--json` and `--output-file` have it: what was decided, when, and what the service answered, now or
 * in an earlier run of this machine.
 */
export function documentOfRow(
  { line, disputeId, decision }: DecisionRow,
  result: ItemResult,
  { baseUrl, storeId }: History['journal']['store'],
) {
  const { record } = result;
  const request = record && parseJson(record.body);
  return {
    line,
    disputeId,
    status: decision?.status ?? textAt(request, ['status']),
    resolution: decision?.resolution ?? textAt(request, ['resolution']),
    ...resultDocument(result),
    at: record === null ? null : (record.response?.receivedAt ?? record.sentAt),
    profile: record?.profile ?? null,
    baseUrl,
    storeId,
    formerStatus: asObject(parseJson(record?.former)).status ?? null,
    request,
    response: record && answerBody(record),
  };
}
