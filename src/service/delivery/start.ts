import type { Storage } from '../storage/core/storage.ts';
import { createSender } from './send.ts';
import { createDeliveryWorker } from './worker.ts';

export interface DeliveryOptions {
  readonly storage: Storage;
  /** A receiver on this machine that gets everything instead of Discord, from `parseSink`. */
  readonly sink?: URL | undefined;
  /** Gets one record per attempt, without URL and text. */
  readonly log?: (line: object) => void;
}

export interface Deliveries {
  /** Attempts that could begin now. */
  freeSlots(): number;
  /** Waits up to 10 s for running sends. Await it before closing the storage. */
  stop(): Promise<void>;
}

/** Starts sending the deliveries in the outbox. */
export function startDeliveries({ storage, sink, log }: DeliveryOptions): Deliveries {
  const worker = createDeliveryWorker({ storage, send: createSender({ sink }), ...(log && { log }) });
  worker.start();
  return worker;
}
