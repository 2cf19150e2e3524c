import type { BatchOptions } from '../history.ts';

/** Lets requests through in order until the batch is over: then both waits throw {@link turnedAway}. */
export interface Turn {
  /** Before it is recorded as sent. */
  toBeWritten(): Promise<void>;
  /** Before it is sent. */
  toBeSent(): Promise<void>;
  /** Lets the next one through. */
  end(): void;
}

export const turnedAway = new Error('the batch is over');

/**
 * While some requests are in flight, as many more are recorded, so that they can follow at once. They are recorded together,
 * because a sync takes the disk as long as a request takes the service; and only once all recorded ones are in flight,
 * because what is recorded as sent is in doubt if the process is killed.
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
