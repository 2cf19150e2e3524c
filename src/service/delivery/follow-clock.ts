import type { Storage } from '../storage/core/storage.ts';
import { isAnyAhead, rescheduleAhead } from '../storage/queries/due.ts';

/** Pause between two looks: the clock of another instance may have been put back, or this one while no instance ran. */
const pauseMs = 60_000;

interface ClockFollowerOptions {
  readonly storage: Storage;
  /** In milliseconds, by a clock that nobody puts back. */
  readonly elapsed: () => number;
  readonly log: (line: object) => void;
}

/**
 * Makes a function that gets the time (epoch ms) at each look of the worker. If the clock was put back, it reschedules
 * what was scheduled by the time before: a pause of seconds would else last for hours.
 */
export function createClockFollower({ storage, elapsed, log }: ClockFollowerOptions) {
  let latest = Number.POSITIVE_INFINITY;
  let lookedAt = 0;
  return async (now: number): Promise<void> => {
    const wasPutBack = now < latest;
    latest = now;
    if (!wasPutBack && elapsed() - lookedAt < pauseMs) return;
    let moved = 0;
    while (await storage.read((db) => isAnyAhead(db, now))) {
      const count = await storage.write((db) => rescheduleAhead(db, now));
      moved += count;
      // Another worker has locked them, and does the same.
      if (count === 0) break;
    }
    lookedAt = elapsed();
    if (moved > 0)
      log({ level: 'warn', message: `The clock was put back: ${moved} endpoints were rescheduled` });
  };
}
