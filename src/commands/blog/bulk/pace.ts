/** Requests in flight when a service or a process dies have unknown outcomes, so a batch starts with few. */
const initialConcurrency = 4;

/** Measured: a third faster than four for a near service, up to 2.5 times for a distant one. */
const fullConcurrency = 10;

/** Consecutive successes at the first attempt before a batch uses the full concurrency. */
const successesBeforeFull = 20;

/** How many posts may be in flight at the same time. */
export interface Pace {
  maxConcurrent(): number;
  /** Call it for each post that was applied. */
  applied(): void;
  /** Call it for each post that failed, is unknown or has to be sent again. */
  failed(): void;
}

export function startPace(): Pace {
  let consecutiveSuccesses = 0;
  return {
    maxConcurrent: () => (consecutiveSuccesses < successesBeforeFull ? initialConcurrency : fullConcurrency),
    applied() {
      consecutiveSuccesses += 1;
    },
    failed() {
      consecutiveSuccesses = 0;
    },
  };
}

/** Posts in flight or being recorded before or after that. */
export const maxPending = 4 * fullConcurrency;
