import path from 'node:path';
import { DamagedError, HistoryError } from '../history/errors.ts';
import type { History as RecordedHistory, SendOptions } from '../history/history.ts';
import { openHistory } from '../history/journal.ts';
import { isOpen } from '../history/records/outline.ts';
import { type HistoryRecord, isUntold } from '../history/records/record.ts';
import { type PerformOptions, performRecorded } from '../history/sending/execute.ts';
import { markRecord, resumeRecord, unsettledRecords } from '../history/sending/resume.ts';
import type { History, HistoryEntry, RecordFilter, Result, Resumed } from './api.ts';
import { checkOptions } from './check-options.ts';

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
 * touches nothing until it is used. Throws a TypeError without a folder.
 */
export function createHistory(options: { readonly folder: string }): History {
  checkOptions(options, ['folder']);
  const folder = path.resolve(options.folder);

  async function use<Found>(run: (history: RecordedHistory) => Promise<Found>): Promise<Found> {
    try {
      // Anew for each call: a history looks for damage once, and a script may run for days.
      return await run(openHistory({ folder, process }));
    } catch (error) {
      if (!(error instanceof DamagedError)) throw error;
      // The command would repair the folder of a profile.
      throw new DamagedError(error.file, error.problem, 'call `history.repair()` to move it aside');
    }
  }

  const sender: Sender = {
    perform: (options) =>
      use(async (history) => {
        const performed = await performRecorded({ ...options, history, profile });
        const { record, isRecorded, outcome, warnings } = performed;
        if (isRecorded) await markReported(history, record);
        const { id, idempotencyKey } = record;
        return { ...outcome, idempotencyKey, recordId: isRecorded ? id : null, warnings };
      }),
    resume: (options) => use((history) => resumeAll(history, options)),
  };
  return {
    async list(query: RecordFilter = {}): Promise<readonly HistoryEntry[]> {
      checkOptions(query, ['operation', 'state', 'open']);
      return use(async (history) => {
        history.assertUndamaged();
        return (await history.list(query)).records;
      });
    },
    async mark(recordId, found) {
      const state = new Map([
        ['applied', 'applied'],
        ['not-applied', 'not_sent'],
      ] as const).get(found);
      if (state === undefined) throw new RangeError("mark needs 'applied' or 'not-applied'");
      return use((history) => markOpen(history, recordId, state));
    },
    repair: () => use((history) => history.repair()),
    sender,
  };
}

async function resumeAll(
  history: RecordedHistory,
  options: Parameters<Sender['resume']>[0],
): Promise<Resumed[]> {
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
}

async function markOpen(
  history: RecordedHistory,
  id: string,
  state: 'applied' | 'not_sent',
): Promise<HistoryRecord> {
  const before = await history.get(id);
  const record = isOpen(before) ? await markRecord({ history }, before.id, state) : before;
  // Another process may settle it in between.
  if (record !== before && record.state === state) return record;
  const message = `${record.id} is already settled (${record.state}); only open records can be marked`;
  throw new HistoryError('already_settled', message);
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
