import path from 'node:path';
import { HistoryError } from '../history/errors.ts';
import type { Performed, SendOptions } from '../history/history.ts';
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
  const history = openHistory({ folder: path.resolve(folder), process });

  /** The caller has the answer now, so the same input is a new request. Else it is told again, which does no harm. */
  async function markReported(record: HistoryRecord): Promise<void> {
    if (!isUntold(record)) return;
    try {
      await history.update(record, { state: 'applied', reported: true });
    } catch (error) {
      if (!(error instanceof HistoryError)) throw error;
    }
  }

  async function told({ record, isRecorded, outcome, warnings }: Performed): Promise<Result<unknown>> {
    if (isRecorded) await markReported(record);
    const { id, idempotencyKey } = record;
    return { ...outcome, idempotencyKey, recordId: isRecorded ? id : null, warnings };
  }

  const sender: Sender = {
    perform: async (options) => told(await performRecorded({ ...options, history, profile })),
    async resume(options) {
      history.assertUndamaged();
      const resumed: Resumed[] = [];
      for (const record of await unsettledRecords(history)) {
        const { origin, storeId } = options;
        if (record.origin !== origin || record.storeId !== storeId) continue;
        const found = await resumeRecord({ ...options, history, record });
        const common = { recordId: record.id, operation: record.operation, action: found.action };
        if (found.action === 'left') resumed.push({ ...common, outcome: null, advice: found.advice });
        else {
          await markReported(found.record);
          resumed.push({ ...common, outcome: found.outcome, advice: null });
        }
      }
      return resumed;
    },
  };
  return {
    async list(query: RecordFilter = {}): Promise<readonly HistoryEntry[]> {
      history.assertUndamaged();
      return (await history.list(query)).records;
    },
    async mark(recordId, found) {
      const record = await markRecord({ history }, recordId, found === 'applied' ? 'applied' : 'not_sent');
      return record;
    },
    repair: () => history.repair(),
    sender,
  };
}
