import { asObject, isObject } from '../../base/json.ts';
import type { HistoryDecision } from '../../history/decision.ts';
import { rulesOf } from '../../history/operation-rules.ts';
import {
  type HistoryRecord,
  isInDoubt,
  objectIdOf,
  receivedBody,
  sentBody,
} from '../../history/record/history-record.ts';
import { markedByHand } from '../../history/record/recorded-outcome.ts';
import { changesBetween } from '../core/json-changes.ts';
import { line, type Printable, printable } from '../core/sanitize.ts';
import { formatDistance } from './format-value.ts';
import { labelOf } from './labels.ts';

export type RecordSummary = ReturnType<typeof recordSummary>;

/** A history record as one row of a list. */
export function recordSummary(record: HistoryRecord, now = Date.now()) {
  const { id, createdAt, operation, storeId, baseUrl, state, open, idempotencyKey, attempts } = record;
  return {
    id,
    createdAt,
    /** `3 hours ago`. */
    age: formatDistance(Date.parse(createdAt) - now),
    operation,
    /**
     * What it undoes, else the label, title or name in the request, the status of a decision, or the fields that it changed, and
     * the id in the path unless the result shows it. Untrusted text.
     */
    label: nameOf(record),
    storeId,
    baseUrl,
    state,
    /** Whether `resume` has something to do for it. */
    open,
    /** Id of what the operation created, or the code of a refusal. */
    result: shownResult(record),
    idempotencyKey,
    attempts,
  };
}

/** `12 changes recorded (3 not sent)`: those that a batch did not reach are recorded, too. */
export function countRecords(records: readonly HistoryRecord[]): string {
  const count = `${records.length} ${records.length === 1 ? 'change' : 'changes'} recorded`;
  const notSent = records.filter(({ state }) => state === 'not_sent').length;
  return notSent === 0 ? count : `${count} (${notSent} not sent)`;
}

/** The outcome of a change, in words. */
export function describeState({
  state,
  open,
  result,
}: Pick<RecordSummary, 'state' | 'open'> & Partial<Pick<RecordSummary, 'result'>>): string {
  if (result === markedByHand) return 'not applied (marked by hand)';
  if (state === 'sent' || state === 'unknown') return open ? 'in doubt' : 'superseded';
  return `${state.replace('_', ' ')}${open ? ' (not reported)' : ''}`;
}

/** A record as a choice of a picker. */
export function recordChoice(record: HistoryRecord) {
  const summary = recordSummary(record);
  const { id, operation, label, age, result } = summary;
  const isReason = isInDoubt(record) && result !== null;
  const isSaid = isReason || result === markedByHand;
  const reason = isReason ? ` (${result.replaceAll('_', ' ')})` : '';
  const words = [operation, label, describeState(summary) + reason, isSaid ? null : result, age].filter(
    (word) => word !== null,
  );
  return { value: id, name: `${id}  ${words.map(printable).join(', ')}`, short: id };
}

function nameOf(record: HistoryRecord): string | null {
  const { undoes, state } = record;
  if (undoes !== null) return `undo of ${undoes}`;
  const { label, title, name, status } = asObject(sentBody(record));
  const text = [label, title, name, status].find((one) => typeof one === 'string') ?? changedFields(record);
  const id = state === 'applied' ? null : objectIdOf(record);
  return [text, id].filter(Boolean).join(' ') || null;
}

/** The fields that an update changed, as far as this machine knew their values: `Cashback, Time zone`; else empty. */
function changedFields(record: HistoryRecord): string {
  const { operation, replaced } = record;
  if (!['fields', 'document'].includes(rulesOf(operation).undo ?? '')) return '';
  const changes = changesBetween(replaced ?? {}, asObject(sentBody(record)));
  const changed = changes.filter(({ after }) => after !== undefined);
  return changed.map(({ path }) => labelOf(path)).join(', ');
}

function shownResult(record: HistoryRecord): string | null {
  const body = receivedBody(record);
  if (isObject(body) && typeof body.id === 'string' && body.id !== record.storeId) return body.id;
  if (record.state === 'rejected')
    return record.response?.problem?.code ?? String(record.response?.status ?? '');
  return record.state === 'applied' ? null : (record.failure?.code ?? null);
}

/** Why a change stays open. */
const openReasons: Readonly<Record<Extract<HistoryDecision, { kind: 'left_open' }>['reason'], string>> = {
  running: 'another process works on it',
  too_old: 'it has been in doubt for 20 hours or more, and nobody said yes',
  needs_yes: 'it replaces what was changed since, and nobody said yes',
  later_change: 'a later change may set the same',
  not_settled: 'no read showed it, and the service did not say that it applies a key once',
  ask_user: 'the service did not say that it applies a key once',
  request_lost: 'its request was lost in a damaged log',
  no_safety_backup: 'its safety backup failed',
};

/** What the history decided about a change, and why, for `--debug`. */
export function describeDecision(decision: HistoryDecision): Printable {
  switch (decision.kind) {
    case 'begun':
      return line`${decision.id} begun: no earlier change is in its way`;
    case 'continued': {
      const { record } = decision;
      return line`${record.id} continued: the same command ${record.state === 'applied' ? 'was applied' : 'is in doubt'}`;
    }
    case 'refused':
      return line`refused: ${decision.error.message}`;
    case 'sent':
      return line`${decision.record.id} sent again: ${wordsOf(decision.record)}`;
    case 'settled':
      return line`${decision.record.id} settled: a read shows it`;
    case 'reported':
      return line`${decision.record.id} reported: its outcome is known (${wordsOf(decision.record)})`;
    case 'superseded':
      return line`${decision.id} superseded: ${decision.by} was applied later and sets the same`;
    case 'left_open': {
      const { id, reason, laterChange } = decision;
      if (laterChange === null) return line`${id} left open: ${openReasons[reason]}`;
      const { record, paths } = laterChange;
      const came = record.state === 'applied' ? 'was applied' : 'may have been applied';
      return line`${id} left open: a later change of ${paths.join(', ')} ${came} (${record.id})`;
    }
  }
}

function wordsOf({ state }: HistoryRecord): string {
  return state.replace('_', ' ');
}
