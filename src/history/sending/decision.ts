import { asObject, parseJson } from '../../base/json.ts';
import type { HistoryRecord } from '../records/record.ts';

/** What a decision of a dispute asked for, from its record. */
export interface WantedDecision {
  readonly disputeId: string;
  readonly status: unknown;
  readonly resolution: unknown;
  /** Path of the dispute itself. */
  readonly path: string;
}

export function wantedDecision(record: Pick<HistoryRecord, 'path' | 'body'>): WantedDecision {
  const { status, resolution } = asObject(parseJson(record.body));
  const path = record.path.replace(/\/decision$/, '');
  return { disputeId: decodeURIComponent(path.slice(path.lastIndexOf('/') + 1)), status, resolution, path };
}

/** Why a dispute record is not what the decision asked for, or null. A field that is missing contradicts nothing. */
function contradictionOf(wanted: WantedDecision, answer: unknown): string | null {
  const { id, status } = asObject(answer);
  if (typeof id === 'string' && id.toLowerCase() !== wanted.disputeId.toLowerCase()) {
    return `the response is for dispute ${id}, not ${wanted.disputeId}`;
  }
  if (typeof status === 'string' && status !== wanted.status) {
    return `the response says ${status}, not ${String(wanted.status)}`;
  }
  return null;
}

/** True if a dispute record proves that the decision was applied: id and status are those asked for. */
export function provesDecision(wanted: WantedDecision, dispute: unknown): boolean {
  const { id, status, resolution } = asObject(dispute);
  const sameText =
    typeof resolution !== 'string' ||
    typeof wanted.resolution !== 'string' ||
    resolution.trim() === wanted.resolution.trim();
  const isComplete = typeof id === 'string' && typeof status === 'string';
  return isComplete && contradictionOf(wanted, dispute) === null && sameText;
}
