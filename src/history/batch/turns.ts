import type { BatchOptions } from '../history.ts';

/** Lets requests through in the order in which they came, until it is over: then both throw {@link turnedAway}. */
export interface Turn {
  /** Before it is written down as sent. */
  toBeWritten(): Promise<void>;
  /** Before it is sent. */
  toBeSent(): Promise<void>;
  /** Lets others through. */
  end(): void;
}

export const turnedAway = new Error('the batch is over');

/**
 * While some are on their way, as many more are written down, so that they can follow at once: together, since each sync
 * costs the disk as much as a request costs the service, and only when those before them are all on their way, since what
 * is written down as sent and was not is in doubt when the process is killed.
 */
export function openTurns({ maxAtOnce, isOver }: Pick<BatchOptions, 'maxAtOnce' | 'isOver'>): {
  take(): Turn;
} {
  const unwritten: (() => void)[] = [];
  const written: (() => void)[] = [];
  const count = { ahead: 0, underWay: 0 };

  function goOn(): void {
    for (const send of written.splice(0, Math.max(0, maxAtOnce() - count.underWay))) {
      count.ahead -= 1;
      count.underWay += 1;
      send();
    }
    if (count.ahead > 0) return;
    for (const write of unwritten.splice(0, maxAtOnce())) {
      count.ahead += 1;
      write();
    }
  }

  function take(): Turn {
    let stage: keyof typeof count | null = null;
    const end = () => {
      if (stage === null) return;
      count[stage] -= 1;
      stage = null;
      goOn();
    };
    const waitIn = async (queue: (() => void)[], next: keyof typeof count) => {
      await new Promise<void>((resolve) => {
        queue.push(resolve);
        goOn();
      });
      stage = next;
      if (!isOver()) return;
      end();
      throw turnedAway;
    };
    return {
      toBeWritten: () => waitIn(unwritten, 'ahead'),
      toBeSent: () => waitIn(written, 'underWay'),
      end,
    };
  }

  return { take };
}
