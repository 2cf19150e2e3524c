import path from 'node:path';
import { normalizeBaseUrl, parseBaseUrl } from '../client/base-url.ts';
import { canonicalId } from '../contract/operation.ts';
import type { RecordOptions } from '../history/changes/change.ts';
import { openRecords } from '../history/changes/plan-resume.ts';
import { readAndChange } from '../history/changes/read-first.ts';
import { markRecords, resumeRecord } from '../history/changes/resume.ts';
import { openHistory, type StoreHistory as RecordedHistory, type SendOptions } from '../history/history.ts';
import type { StoreIdentity } from '../history/journal/journal.ts';
import { repairLogs } from '../history/journal/repair.ts';
import type { ChangeRequest } from '../history/record/change-request.ts';
import { storeFolder } from '../history/store-folder.ts';
import type { History, HistoryEntry, RecordFilter, Result, Resumed } from './api.ts';
import { checkOptions } from './check-options.ts';

export { HistoryError, RefusedError } from '../history/record/errors.ts';

/** What a client sends with if it has a history. */
export interface Sender {
  readonly store: StoreIdentity;
  /** Milliseconds for which the store has asked to send nothing. */
  storeWait(): Promise<number>;
  change(request: ChangeRequest, options: RecordOptions): Promise<Result<unknown>>;
  resume(options: SendOptions): Promise<Resumed[]>;
}

/** The `profile` of records that the library writes. */
const profile = 'library';

/**
 * The history of one store in a folder of histories, such as the one of the command line. The first write makes the folder. Processes may
 * share it. Throws a TypeError or RangeError if an option is missing or cannot be used.
 */
export function createHistory(options: {
  readonly folder: string;
  readonly baseUrl: string;
  readonly storeId: string;
}): History {
  checkOptions(options, ['folder', 'baseUrl', 'storeId']);
  const store = {
    baseUrl: normalizeBaseUrl(parseBaseUrl(options.baseUrl).href),
    storeId: canonicalId(options.storeId),
  };
  const folder = storeFolder(path.resolve(options.folder), store);

  /** Opens the history for one call. When the promise of the call resolves, the outcome counts as reported. */
  async function use<Found>(run: (history: RecordedHistory) => Promise<Found>): Promise<Found> {
    const history = openHistory({ folder, store, profile, process });
    try {
      return await run(history);
    } finally {
      await history.end();
    }
  }

  const sender: Sender = {
    store,
    storeWait: () => use(async (history) => history.storeWait()),
    change: (request, options) =>
      use(async (history) => {
        const changed = await readAndChange(history, request, options);
        const { record, outcome, recordingError } =
          changed.kind === 'change' ? changed : changed.safetyBackup;
        const { id, idempotencyKey } = record;
        const warnings = recordingError === null ? [] : [recordingError.message];
        return { ...outcome, idempotencyKey, recordId: id, warnings };
      }),
    resume: (options) => use((history) => resumeAll(history, options)),
  };
  return {
    async list(query: RecordFilter = {}): Promise<readonly HistoryEntry[]> {
      checkOptions(query, ['operation', 'state', 'open']);
      return use(async (history) => history.snapshot().listWhole(query));
    },
    async mark(recordId, found) {
      const state = new Map([
        ['applied', 'applied'],
        ['not-applied', 'not_sent'],
      ] as const).get(found);
      if (state === undefined) throw new RangeError("mark needs 'applied' or 'not-applied'");
      return use((history) => markRecords(history, recordId, state));
    },
    repair: () =>
      use(async ({ journal }) => (await repairLogs(journal)).map(({ file, copy }) => ({ file, copy }))),
    sender,
  };
}

async function resumeAll(history: RecordedHistory, options: SendOptions): Promise<Resumed[]> {
  const resumed: Resumed[] = [];
  for (const { id, operation } of openRecords(history)) {
    const found = await resumeRecord(history, id, options);
    const { action } = found;
    resumed.push({
      recordId: id,
      operation,
      action,
      outcome: 'outcome' in found ? found.outcome : null,
      reason: found.action === 'left_open' ? found.reason : null,
    });
  }
  return resumed;
}
