import { setTimeout as sleep } from 'node:timers/promises';
import { busy, type Fault } from '../model/errors.ts';
import { faultOf } from './core/engine-errors.ts';
import { ping, type Storage } from './core/storage.ts';
import { writeProbe } from './queries/write-probes.ts';

/** How long the database may take to answer, in ms. */
const maxReadyMs = 1_500;

/** What `/readyz` and the metrics say of the database. */
export interface Health {
  /** Remembers that a request failed because the database cannot save or read. */
  note(fault: Fault): void;
  /** Throws `busy`, with the reason in words, if the database does not respond or cannot save changes. */
  check(): Promise<void>;
}

const reasons: Readonly<Record<Fault, string>> = {
  full: 'The database cannot save changes: its disk is full',
  failing: 'The database cannot save changes: its disk fails',
  readOnly: 'The database cannot save changes: it is read-only',
  damaged: 'The database is damaged: restore it from a copy, then restart the service',
};

/**
 * Reads may go on while no change can be saved, so after a change that failed for such a reason the database counts as down
 * until a small change has succeeded. One that is damaged does so until the service is restarted: a small change elsewhere
 * in it would prove nothing.
 */
export function createHealth(storage: Storage): Health {
  let fault: Fault | null = null;
  let probing: Promise<void> | null = null;

  async function probe(known: Fault): Promise<void> {
    try {
      await writeProbe(storage);
      if (fault !== 'damaged') fault = null;
    } catch (error) {
      // One that failed for another reason, such as a lock, says nothing new.
      note(faultOf(error) ?? known);
    } finally {
      probing = null;
    }
  }

  async function ask(): Promise<void> {
    if (fault !== null && fault !== 'damaged') {
      probing ??= probe(fault);
      await probing;
    }
    if (fault !== null) throw busy(reasons[fault]);
    await storage.read(ping);
  }

  function note(found: Fault): void {
    if (fault !== 'damaged') fault = found;
  }

  return {
    note,
    async check() {
      const late = sleep(maxReadyMs, undefined, { ref: false }).then(() => {
        throw busy(fault === null ? 'The database is not responding' : reasons[fault]);
      });
      const asked = ask();
      asked.catch(() => {});
      try {
        await Promise.race([asked, late]);
      } catch (error) {
        const found = faultOf(error);
        if (found === null) throw error;
        note(found);
        throw busy(reasons[found]);
      }
    },
  };
}
