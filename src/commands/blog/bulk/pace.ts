/** To any service. What is on its way when a service or a process breaks is in doubt, so it is no more than needed. */
const fewAtOnce = 4;

/** To one that keeps up: a third faster where it is near, and up to two and a half times where the way is long. */
const manyAtOnce = 10;

/** So many in a row have to be applied at their first attempt before a service counts as one that keeps up. */
const proofOfKeepingUp = 100;

/** How many posts may be on their way at the same time. */
export interface Pace {
  /** Now. */
  maxAtOnce(): number;
  /** To be told of each post that was applied. */
  applied(): void;
  /** To be told of each that was not, that is in doubt, or that has to be sent again. */
  failed(): void;
}

/** A few at a time, and more for as long as none fails. */
export function startPace(): Pace {
  let inARow = 0;
  return {
    maxAtOnce: () => (inARow < proofOfKeepingUp ? fewAtOnce : manyAtOnce),
    applied() {
      inARow += 1;
    },
    failed() {
      inARow = 0;
    },
  };
}

/** Posts that are on their way, or being written down before or after that. */
export const mostInHand = 4 * manyAtOnce;
