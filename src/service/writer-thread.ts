import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { parseSink } from './delivery/send.ts';
import { startDeliveries } from './delivery/worker.ts';
import { createChanges } from './http/changes.ts';
import { openStorage } from './storage/open-storage.ts';
import {
  createOutbox,
  toSentError,
  type WorkerMessage,
  type WorkerOptions,
  type WorkerRequest,
} from './writer-messages.ts';

/** The worker thread of `start-writer.ts`: it has its own connection and writes all changes. */
async function serve(port: MessagePort, { location, deliveries }: WorkerOptions): Promise<void> {
  const send = createOutbox<WorkerMessage>((messages) => port.postMessage(messages));
  const storage = await openStorage(location);
  const applyChange = createChanges(storage);
  const sink = deliveries?.sink === undefined ? undefined : (parseSink(deliveries.sink) ?? undefined);
  const sending = deliveries && startDeliveries({ storage, sink, log: (line) => send({ line }) });

  async function answer({ ask }: WorkerRequest): Promise<unknown> {
    if (ask === 'close') return storage.close();
    if (ask === 'stop deliveries') return sending?.stop();
    if (ask === 'usage') return { ...storage.usage(), freeSlots: sending?.freeSlots() ?? null };
    return applyChange(ask.change);
  }

  port.on('message', (requests: WorkerRequest[]) => {
    for (const request of requests) {
      const { id } = request;
      answer(request).then(
        (result) => {
          send({ id, result });
          // After the response is posted.
          if (request.ask === 'close') setImmediate(() => port.close());
        },
        (error: unknown) => send({ id, error: toSentError(error) }),
      );
    }
  });
  send({ id: 0, result: undefined });
}

if (parentPort !== null) void serve(parentPort, workerData);
