import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { type DeliveryOptions, startDeliveries } from './delivery/worker.ts';
import { type ApplyChange, createChanges } from './http/changes.ts';
import type { Usage } from './metrics/metrics.ts';
import { UnknownCommitError } from './storage/core/errors.ts';
import {
  createOutbox,
  fromSentError,
  type WorkerMessage,
  type WorkerOptions,
  type WorkerRequest,
} from './writer-messages.ts';

export interface WriterOptions extends DeliveryOptions {
  /** Of the storage. */
  readonly location: string;
  /** Whether to send the deliveries in the outbox. */
  readonly delivers: boolean;
}

/** What changes the database: requests and deliveries. */
export interface Writer {
  readonly applyChange: ApplyChange;
  /** Rejects when the worker thread has ended by itself: then no change succeeds any more. */
  readonly failure: Promise<never>;
  usage(): Promise<Usage>;
  /** Waits up to 10 s for running sends. */
  stopDeliveries(): Promise<void>;
  /** Await it before closing the storage. */
  close(): Promise<void>;
}

/** Otherwise a worker that copies large posts keeps far more of what it no longer needs. */
const maxYoungGenerationSizeMb = 16;

/** Made by `npm run build`. Where the program runs from its source, changes are applied on the thread of the caller. */
const workerFile = new URL('./service-worker.js', import.meta.url);

/**
 * Starts what changes the database. On the embedded engine that is a separate thread with its own connection, so
 * that reads are answered while a whole store is backed up or restored. PostgreSQL is another process anyway.
 */
export async function startWriter(options: WriterOptions): Promise<Writer> {
  const { storage, location, delivers, sink, log = () => {} } = options;
  if (storage.engine === 'embedded' && existsSync(workerFile)) {
    return startWorker({ location, deliveries: delivers ? { sink: sink?.href } : null }, log);
  }
  const deliveries = delivers ? startDeliveries(options) : null;
  return {
    applyChange: createChanges(storage),
    failure: new Promise<never>(() => {}),
    usage: async () => ({ ...storage.usage(), freeSlots: deliveries?.freeSlots() ?? null }),
    stopDeliveries: async () => deliveries?.stop(),
    close: async () => {},
  };
}

async function startWorker(workerData: WorkerOptions, log: (line: object) => void): Promise<Writer> {
  const worker = new Worker(workerFile, { workerData, resourceLimits: { maxYoungGenerationSizeMb } });
  const send = createOutbox<WorkerRequest>((requests) => worker.postMessage(requests));
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: unknown): void }>();
  let lastId = 0;
  let isClosed = false;
  let failed: UnknownCommitError | undefined;

  /** The result is what `writer-thread.ts` answers to this. */
  async function ask<Result>(what: WorkerRequest['ask']): Promise<Result> {
    if (failed !== undefined) throw failed;
    const id = ++lastId;
    send({ id, ask: what });
    return waitFor<Result>(id);
  }

  function waitFor<Result>(id: number): Promise<Result> {
    return new Promise((resolve, reject) =>
      waiting.set(id, { resolve: (result) => resolve(result as Result), reject }),
    );
  }

  function receive(message: WorkerMessage): void {
    if ('line' in message) {
      log(message.line);
      return;
    }
    const asked = waiting.get(message.id);
    waiting.delete(message.id);
    if ('error' in message) asked?.reject(fromSentError(message.error));
    else asked?.resolve(message.result);
  }

  worker.on('message', (messages: WorkerMessage[]) => messages.forEach(receive));
  const failure = new Promise<never>((_, reject) => {
    worker.once('error', reject);
    worker.once('exit', (code) => {
      if (!isClosed) reject(new Error(`the thread that writes the database ended with ${code}`));
    });
  });
  failure.catch((cause: unknown) => {
    failed = new UnknownCommitError('the thread that writes the database has ended', { cause });
    for (const { reject } of waiting.values()) reject(failed);
  });

  await waitFor(0);
  return {
    applyChange: (change) => ask({ change }),
    failure,
    usage: () => ask('usage'),
    async stopDeliveries() {
      if (failed === undefined) await ask('stop deliveries');
    },
    async close() {
      isClosed = true;
      if (failed === undefined) await ask('close');
    },
  };
}
