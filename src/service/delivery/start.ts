import type { Storage } from '../storage/core/storage.ts';
import { createSender } from './send.ts';
import { createDeliveryWorker } from './worker.ts';

export interface DeliveryOptions {
  readonly storage: Storage;
  /** Receiver on this machine that everything is sent to instead of Discord, from `parseSink`. */
  readonly sink?: URL | undefined;
  /** Takes one record for each attempt. They never hold an address or a text. */
  readonly log?: (line: object) => void;
}

export interface Deliveries {
  /** Lets sends that are running finish for up to 10 s. To be awaited before the storage is closed. */
  stop(): Promise<void>;
}

/** Sends what waits in the outbox, now and from now on. */
export function startDeliveries({ storage, sink, log }: DeliveryOptions): Deliveries {
  const worker = createDeliveryWorker({ storage, send: createSender({ sink }), ...(log && { log }) });
  worker.start();
  return worker;
}
