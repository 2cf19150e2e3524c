import path from 'node:path';
import { HistoryError } from '../history/errors.ts';
import type { History as RecordedHistory, SendOptions } from '../history/history.ts';
import { openHistory } from '../history/journal.ts';
import { type HistoryRecord, isUntold } from '../history/records/record.ts';
import { type PerformOptions, performRecorded } from '../history/sending/execute.ts';
import { markRecord, resumeRecord, unsettledRecords } from '../history/sending/resume.ts';
import type { History, HistoryEntry, RecordFilter, Result, Resumed } from './api.ts';

export { EarlierRequestError, HistoryError, KeyReusedError } from '../history/errors.ts';

/** What a client sends with if it has a history. */
export interface Sender {
  perform(options: Omit<PerformOptions, 'history' | 'profile'>): Promise<Result<unknown>>;
  resume(
    options: Omit<SendOptions, 'history'> & Pick<PerformOptions, 'origin' | 'storeId'>,
  ): Promise<Resumed[]>;
}

/** The `profile` of records that the library writes. */
const profile = 'library';

/**
 * The journal in a folder, which is made when something is first written. Processes may share it, the command line too. It
 * touches nothing until it is used.
 */
export function createHistory({ folder }: { readonly folder: string }): History {
  const absolute = path.resolve(folder);
  // Anew for each call: a history looks for damage once, and a script may run for days.
  const open = () => openHistory({ folder: absolute, process });

  const sender: Sender = {
    async perform(options) {
      const history = open();
      const performed = await performRecorded({ ...options, history, profile });
      const { record, isRecorded, outcome, warnings } = performed;
      if (isRecorded) await markReported(history, record);
      const { id, idempotencyKey } = record;
      return { ...outcome, idempotencyKey, recordId: isRecorded ? id : null, warnings };
    },
    async resume(options) {
      const history = open();
      history.assertUndamaged();
      const resumed: Resumed[] = [];
      for (const record of await unsettledRecords(history)) {
        if (record.origin !== options.origin || record.storeId !== options.storeId) continue;
        const found = await resumeRecord({ ...options, history, record });
        const isLeft = found.action === 'left';
        if (!isLeft) await markReported(history, found.record);
        resumed.push({
          recordId: record.id,
          operation: record.operation,
          action: found.action,
          outcome: isLeft ? null : found.outcome,
          advice: isLeft ? found.advice : null,
        });
      }
      return resumed;
    },
  };
  return {
    async list(query: RecordFilter = {}): Promise<readonly HistoryEntry[]> {
      const history = open();
      history.assertUndamaged();
      return (await history.list(query)).records;
    },
    mark: (recordId, found) =>
      markRecord({ history: open() }, recordId, found === 'applied' ? 'applied' : 'not_sent'),
    repair: () => open().repair(),
    sender,
  };
}

/** The caller has the answer now, so the same input is a new request. If that cannot be written, it is told once more. */
async function markReported(history: RecordedHistory, record: HistoryRecord): Promise<void> {
  if (!isUntold(record)) return;
  try {
    await history.markReported([record]);
  } catch (error) {
    if (!(error instanceof HistoryError)) throw error;
  }
}
