import type { LockOptions } from '../base/files/lock.ts';
import type { CallInput, Client } from '../client/client-types.ts';
import type { HistoryDecision } from './decision.ts';
import { type JournalSettings, openJournal } from './journal/journal.ts';
import type { LogWriter } from './journal/log-writer.ts';
import { beginLog, type LogStart, reopenLog } from './journal/open-log.ts';
import { storeWait } from './journal/store-wait.ts';
import { openReader } from './snapshot.ts';

/** What this machine knows of the changes of one store. */
export type StoreHistory = ReturnType<typeof openHistory>;

/** The options of every function that sends. */
export interface SendOptions {
  readonly client: Client;
  readonly timeoutMs?: CallInput['timeoutMs'] | undefined;
  readonly signal?: CallInput['signal'] | undefined;
  /** Called once if the function waits for another process. */
  onWait?(): void;
  /** Pause between two reads for proof, in milliseconds; 2 s by default. */
  readonly settlePauseMs?: number | undefined;
}

export interface HistorySettings extends JournalSettings {
  /** Called with each decision about a change. */
  readonly onDecision?: ((decision: HistoryDecision) => void) | undefined;
}

/** The history of a store for one command. Opening it reads and writes nothing. */
export function openHistory(settings: HistorySettings) {
  const journal = openJournal(settings);
  const writers = new Map<string, LogWriter>();
  const reopening = new Map<string, Promise<LogWriter>>();
  const { snapshot, refresh } = openReader(journal, { writers, now: journal.now });

  async function reopenOnce(logId: string, options?: LockOptions): Promise<LogWriter> {
    try {
      const writer = await reopenLog(journal, logId, options, () => refresh().listing.names);
      writers.set(logId, writer);
      return writer;
    } finally {
      reopening.delete(logId);
    }
  }

  return {
    journal,
    /** To be called with each decision about a change. */
    explain: settings.onDecision ?? (() => {}),
    /** The history as it was listed last, with the lines that this process has written since. */
    snapshot,
    /** Lists the history again. What has to be true is decided by a snapshot that is taken after the last lock. */
    refresh,
    /** Milliseconds for which the store has asked to send it nothing. */
    storeWait: () => storeWait(journal),
    /** Makes a log with its first records, see `beginLog`. */
    async begin(start: LogStart): Promise<LogWriter> {
      const writer = await beginLog(journal, start, snapshot().listing);
      writers.set(writer.id, writer);
      return writer;
    },
    /** Opens a log for appending, and lists the history again under the log lock. A process opens each log once, until `end`. */
    async reopen(logId: string, options?: LockOptions): Promise<LogWriter> {
      const own = writers.get(logId);
      if (own !== undefined) {
        refresh();
        return own;
      }
      // Two records of one log may be continued at once. The second must not wait for the lock that this process holds.
      const opening = reopening.get(logId) ?? reopenOnce(logId, options);
      reopening.set(logId, opening);
      return opening;
    },
    /** Whether another process holds a log. */
    isHeldElsewhere: (logId: string) =>
      !writers.has(logId) && !reopening.has(logId) && journal.isLogHeld(logId),
    /** Closes the logs of this process. `isReported`: the outcomes have reached the user. Else their records stay open. Never rejects. */
    async end({ isReported = true } = {}): Promise<void> {
      const ended = [...writers.values()];
      writers.clear();
      for (const writer of ended) await writer.close({ isReported });
    },
  };
}
