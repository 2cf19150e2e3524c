import type { LockOptions } from '../base/files/lock.ts';
import type { CallInput, Client } from '../client/client.ts';
import type { Decision } from './decision.ts';
import { type JournalSettings, openJournal } from './journal/journal.ts';
import type { LogWriter } from './journal/log-writer.ts';
import { beginLog, type LogStart, reopenLog } from './journal/open-log.ts';
import { storeWait } from './journal/store-wait.ts';
import { openReader } from './snapshot.ts';

/** What this machine knows of the changes of one store. */
export type History = ReturnType<typeof openHistory>;

/** What every function that sends needs. */
export interface SendOptions {
  readonly client: Client;
  readonly timeoutMs?: CallInput['timeoutMs'] | undefined;
  readonly signal?: CallInput['signal'] | undefined;
  /** Another process works on the same. */
  onWait?(): void;
  /** Between two reads of something that may still be changing, in milliseconds; 2 s by default. */
  readonly settlePauseMs?: number | undefined;
}

export interface HistorySettings extends JournalSettings {
  /** Called with each decision about a change, and its reason. */
  readonly onDecision?: ((decision: Decision) => void) | undefined;
}

/** The history in a folder, as one command uses it. Touches nothing until it is used. */
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
    /** Says what was decided about a change, and why. */
    explain: settings.onDecision ?? (() => {}),
    /** What this command knows: the history as it was listed last, with what this process has written since. */
    snapshot,
    /** The history as it is now. To be called after the last lock, for what has to be true. */
    refresh,
    /** Milliseconds for which the store has asked to send it nothing. */
    storeWait: () => storeWait(journal),
    /** Makes a log with its first records. */
    async begin(start: LogStart): Promise<LogWriter> {
      const writer = await beginLog(journal, start, snapshot().listing);
      writers.set(writer.id, writer);
      return writer;
    },
    /**
     * Takes the lock of a log, once in a process: its writer is shared until `end`. What the history knows is refreshed under the
     * lock.
     */
    async reopen(logId: string, options?: LockOptions): Promise<LogWriter> {
      const own = writers.get(logId);
      if (own !== undefined) {
        refresh();
        return own;
      }
      // Several records of one log may be continued at once, and this process would wait for itself.
      const opening = reopening.get(logId) ?? reopenOnce(logId, options);
      reopening.set(logId, opening);
      return opening;
    },
    /** Whether another process works on a log. */
    isHeldElsewhere: (logId: string) =>
      !writers.has(logId) && !reopening.has(logId) && journal.isLogHeld(logId),
    /**
     * To be called when the outcomes have reached the user: closes the logs of this process, so that what has an outcome is no
     * longer open. Never rejects.
     */
    async end(): Promise<void> {
      const ended = [...writers.values()];
      writers.clear();
      for (const writer of ended) await writer.close();
    },
  };
}
