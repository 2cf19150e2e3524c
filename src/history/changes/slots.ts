/** The place of one request of a batch among those that are sent at once. Both waits throw {@link batchOver} once the batch is over. */
export type Slot = ReturnType<ReturnType<typeof openSlots>>;

export interface SlotOptions {
  /** How many requests may be in flight now. */
  maxAtOnce(): number;
  /** Whether the batch is over: waiting requests are then not sent. */
  isOver(): boolean;
}

export const batchOver = new Error('the batch is over');

/**
 * Lets requests through in order. While some requests are in flight, as many more are recorded, so that they can follow at once. They
 * are recorded together, because a sync takes as long as a request. No further ones are recorded until all recorded ones are in flight,
 * because a record that says `sent` is in doubt if the process is killed.
 */
export function openSlots({ maxAtOnce, isOver }: SlotOptions) {
  const toRecord: (() => void)[] = [];
  const toSend: (() => void)[] = [];
  const count = { recorded: 0, inFlight: 0 };

  function goOn(): void {
    for (const send of toSend.splice(0, Math.max(0, maxAtOnce() - count.inFlight))) {
      count.recorded -= 1;
      count.inFlight += 1;
      send();
    }
    if (count.recorded > 0) return;
    for (const record of toRecord.splice(0, maxAtOnce())) {
      count.recorded += 1;
      record();
    }
  }

  return () => {
    let stage: keyof typeof count | null = null;
    const release = () => {
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
      release();
      throw batchOver;
    };
    return {
      /** To be awaited before the request is recorded. */
      waitToRecord: () => waitIn(toRecord, 'recorded'),
      /** To be awaited before the request is sent. */
      waitToSend: () => waitIn(toSend, 'inFlight'),
      /** Lets the next request through. */
      release,
    };
  };
}
