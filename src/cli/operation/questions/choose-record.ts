import type { RecordQuery } from '../../../history/history.ts';
import { type HistoryRecord, isInDoubt } from '../../../history/journal/history-record.ts';
import { markedByHand } from '../../../history/recorded-outcome.ts';
import type { Session } from '../../command/session.ts';
import { printable } from '../../core/sanitize.ts';
import { describeState, recordSummary } from '../../output/record-summary.ts';
import type { Choice } from '../../prompts/prompts.ts';

/** Older records are in `history list`. */
const maxRecords = 50;

/** The records of the store in use as choices, newest first. */
export async function recordChoices(session: Session, query: RecordQuery = {}): Promise<Choice[]> {
  const { records } = (await session.history()).list(query);
  return records.slice(0, maxRecords).map(asChoice);
}

/** A record as a choice of a picker. */
export function asChoice(record: HistoryRecord): Choice {
  const summary = recordSummary(record);
  const { id, operation, label, age, result } = summary;
  const isReason = isInDoubt(record) && result !== null;
  const isSaid = isReason || result === markedByHand;
  const reason = isReason
    ? ` (${result.replaceAll('_', ' ')})`
    : record.open && !isInDoubt(record)
      ? ' (not reported)'
      : '';
  const words = [operation, label, describeState(summary) + reason, isSaid ? null : result, age].filter(
    (word) => word !== null,
  );
  return { value: id, name: `${id}  ${words.map(printable).join(', ')}`, short: id };
}
