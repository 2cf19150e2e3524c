import type { Client } from '../../client/client-types.ts';
import type { Operation } from '../../contract/operation.ts';
import type { SendOptions, StoreHistory } from '../history.ts';
import { type LogWriter, recordIn } from '../journal/log-writer.ts';
import type { ChangeRequest } from '../record/change-request.ts';
import { RefusedError } from '../record/errors.ts';
import type { HistoryRecord, Intent } from '../record/history-record.ts';
import { intentOf, refuseSecret } from '../record/intent.ts';
import type { Recorded } from './change-result.ts';
import { findEarlier, sameCommandBy } from './earlier.ts';
import { type ResumeResult, resumeRecord } from './resume.ts';
import { sendRecord } from './send.ts';
import { batchOver, openSlots, type Slot, type SlotOptions } from './slots.ts';
import { supersede } from './supersede.ts';

export interface BatchOptions extends SendOptions, SlotOptions {
  readonly operation: Operation;
  /** Called before each wait for another attempt. */
  onRetry?(): void;
}

/**
 * Many changes of one command in one log, sent one after the other or in parallel. The operation of a batch has no key in its body, and
 * takes no order lock.
 */
export type HistoryBatch = Awaited<ReturnType<typeof beginBatch>>;

/** Bytes after which a batch begins another log, because a log is read as a whole. A single request may have more. */
const maxLogSize = 8 * 1024 * 1024;

/** Bytes that a record may take in its log: a response often repeats the request. */
const sizeOf = (intent: Intent) => 2 * Buffer.byteLength(JSON.stringify(intent));

/** Begins a batch. It holds the operation lock to its end, so no other process begins the operation meanwhile. Throws a HistoryError. */
export async function beginBatch(history: StoreHistory, options: BatchOptions) {
  const { journal } = history;
  const { operation, client } = options;
  const lock = await journal.acquire(`operation ${operation.id}`, options);
  let past: readonly HistoryRecord[];
  try {
    past = history.refresh().openAndRecent(operation.id);
  } catch (error) {
    lock.release();
    throw error;
  }
  client.pause(history.storeWait());
  const by = sameCommandBy(operation.id);
  const same = new Map<string, HistoryRecord[]>();
  for (const record of past) {
    const key = record.requestLost ? '' : record[by];
    same.set(key, [...(same.get(key) ?? []), record]);
  }
  const takeSlot = openSlots(options);
  let log: Promise<LogWriter> | null = null;
  /** Bytes in the log, with the records that are about to be written. */
  let size = 0;

  /** Adds a record to the log of the batch. The first record begins the log. */
  async function add(intent: Intent): Promise<{ writer: LogWriter; id: string }> {
    const bytes = sizeOf(intent);
    if (log !== null && size + bytes <= maxLogSize) {
      size += bytes;
      const writer = await log;
      const { id } = await writer.add(intent);
      size = Math.max(size, writer.size);
      return { writer, id };
    }
    size = bytes;
    log = history.begin({ operation: operation.id, intents: [intent], isBatch: true });
    const writer = await log;
    return { writer, id: `${writer.id}.1` };
  }

  async function inSlot<Result>(run: (slot: Slot) => Promise<Result>): Promise<Result | null> {
    const slot = takeSlot();
    try {
      await slot.waitToRecord();
      return await run(slot);
    } catch (error) {
      if (error === batchOver) return null;
      throw error;
    } finally {
      // The caller gets the result before the next request starts.
      setImmediate(slot.release);
    }
  }

  return {
    /** As `recordChange`, with the same rules. Null if the batch was over before the change was recorded. */
    change: (request: ChangeRequest): Promise<Recorded | null> =>
      inSlot(async (slot) => {
        const intent = intentOf(request, journal.store.storeId);
        refuseSecret(intent, client);
        // Records whose request was lost are under the empty text: they stand for every command.
        const earlier = [...(same.get(intent[by]) ?? []), ...(same.get('') ?? [])];
        const continued = await findEarlier(history, request, intent, earlier, options);
        if (continued !== null) {
          await slot.waitToSend();
          const resumed = await resumeRecord(history, continued.id, { ...options, inBatch: true });
          if (resumed.action !== 'left_open' && resumed.action !== 'superseded') return resumed;
          throw new RefusedError('in_doubt', resumed.record);
        }
        const { writer, id } = await add(intent);
        try {
          await slot.waitToSend();
        } catch (error) {
          await writer.change([{ id, state: 'not_sent' }]);
          throw error;
        }
        const sending = { ...options, writer, now: journal.now, inBatch: true };
        const sent = await sendRecord({ ...sending, client: releasing(client, slot) }, id, { isFirst: true });
        if (sent.outcome.kind === 'applied') await supersede(history, recordIn(writer.records, id), earlier);
        return sent;
      }),
    /** As `resumeRecord`, in a slot of the batch. Null if the batch was over before the record was sent. */
    resume: (id: string): Promise<ResumeResult | null> =>
      inSlot(async (slot) => {
        await slot.waitToSend();
        return resumeRecord(history, id, { ...options, inBatch: true });
      }),
    /** Releases the operation lock. This process holds the log until `history.end()`. */
    end: () => lock.release(),
  };
}

/** A client that releases the slot as soon as a request was applied, before the outcome is written. */
function releasing(client: Client, slot: Slot): Client {
  return {
    ...client,
    async send(request, input) {
      const outcome = await client.send(request, input);
      if (outcome.kind === 'applied') slot.release();
      return outcome;
    },
  };
}
