import type { Applied } from '../../client/outcome.ts';

/** Posts that are on their way at the same time, to any service. */
const fewAtOnce = 4;

/** The same, to a service that keeps up with them. It is then twice as fast, or more where the way is long. */
const manyAtOnce = 10;

/** So many in a row have to be applied at their first attempt before a service counts as one that keeps up. */
const proofOfKeepingUp = 100;

/** How many posts may be on their way at the same time. */
export interface Pace {
  mostAtOnce(): number;
  /** To be told of each post that was applied, and of each that was not, or is in doubt. */
  applied(answer: Applied): void;
  failed(): void;
}

/** A few at a time; more as long as all of them are applied at once. */
export function startPace(): Pace {
  let inARow = 0;
  return {
    mostAtOnce: () => (inARow < proofOfKeepingUp ? fewAtOnce : manyAtOnce),
    applied({ attempts }) {
      inARow = attempts === 1 ? inARow + 1 : 0;
    },
    failed() {
      inARow = 0;
    },
  };
}

/** Posts that are on their way, or being written down before or after that. */
export const mostInHand = 4 * manyAtOnce;
