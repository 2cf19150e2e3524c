/** Lets requests through in order until the batch is over: then both waits throw {@link batchOver}. */
export type Slot = ReturnType<ReturnType<typeof openSlots>>;

export interface SlotOptions {
  /** Maximum number of requests in flight, now. */
  maxAtOnce(): number;
  /** Whether to stop sending: what waits is not sent then. */
  isOver(): boolean;
}

export const batchOver = new Error('the batch is over');

/**
 * While some requests are in flight, as many more are recorded, so that they can follow at once. They are recorded together,
 * because a sync takes the disk as long as a request takes the service; and only once all recorded ones are in flight,
 * because what is recorded as sent is in doubt if the process is killed.
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
      /** Before it is recorded as sent. */
      waitToRecord: () => waitIn(toRecord, 'recorded'),
      /** Before it is sent. */
      waitToSend: () => waitIn(toSend, 'inFlight'),
      /** Lets the next one through. */
      release,
    };
  };
}
