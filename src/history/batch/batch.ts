import * as fs from 'node:fs';
import type { Client } from '../../client/client.ts';
import { historyError } from '../errors.ts';
import { ensureFolder, type Files, removeQuietly, syncFolder } from '../files/files.ts';
import type { Lock } from '../files/lock.ts';
import type { Batch, BatchOptions, History } from '../history.ts';
import { type HistoryRecord, lockName, recordFormat } from '../records/record.ts';
import { fingerprintIntent, intentOf, newRecord, refuseSecrets } from '../records/request-intent.ts';
import { sendRecord } from '../sending/send.ts';
import { logFile, toLine } from './log-file.ts';
import { type LogWriter, writeTogether } from './log-writer.ts';
import { batchOver, openSlots, type Slot } from './slots.ts';

/** A log of a batch; see log-file.ts. */
interface Log extends LogWriter {
  readonly batch: string;
  readonly file: string;
  readonly lock: Lock;
  /** Ids of its records, and whether the first line of each is on disk. */
  readonly records: Map<string, boolean>;
  /** Characters of the bodies in it. */
  length: number;
}

/** Characters of bodies after which another log is begun: a log is read as a whole, and is up to four times as long. */
const maxLogLength = 8 * 1024 * 1024;

export function openBatch(files: Files, history: History, options: BatchOptions): Batch {
  const logs: Log[] = [];
  const slots = openSlots(options);
  let opening: Promise<void> | undefined;

  /** The log that a new record with this body goes to. */
  async function logFor(body: string | null): Promise<Log> {
    for (;;) {
      const log = logs.at(-1);
      if (log !== undefined && log.length < maxLogLength) {
        log.length += body?.length ?? 0;
        return log;
      }
      opening ??= openLog(files, history)
        .then((opened) => void logs.push(opened))
        .finally(() => {
          opening = undefined;
        });
      await opening;
    }
  }

  async function update(record: HistoryRecord, patch: Partial<HistoryRecord>): Promise<HistoryRecord> {
    const log = logs.find(({ batch }) => batch === record.batch);
    if (log === undefined) return history.update(record, patch);
    const change = { ...patch, updatedAt: new Date(history.now()).toISOString() };
    const next = { ...record, ...change };
    const isBegun = log.records.get(record.id) === true;
    // A record that was never written needs no end.
    if (next.state === 'not_sent' && !isBegun) return next;
    // Nothing waits for the outcome, and the next record is written soon.
    const line = isBegun ? { format: recordFormat, id: record.id, ...change } : next;
    await log.add(toLine(line), next.state !== 'sent');
    log.records.set(record.id, true);
    return next;
  }

  function newId({ records }: Log): string {
    for (;;) {
      const id = history.newId();
      if (!records.has(id)) return id;
    }
  }

  const sending = { ...options, history: { ...history, update }, inBatch: true };

  return {
    prepare: (body) => fingerprintIntent(intentOf(options, body)),
    async perform(prepared) {
      refuseSecrets(prepared, options.secrets);
      const log = await logFor(prepared.body);
      const record = { ...newRecord(prepared, newId(log), history.now()), batch: log.batch };
      log.records.set(record.id, false);
      const slot = slots.take();
      try {
        return await sendRecord({ ...sending, client: clientInSlot(options, slot) }, log.lock, record);
      } finally {
        // The caller learns the outcome before the next request starts.
        setImmediate(slot.release);
      }
    },
    async inSlot(send) {
      const slot = slots.take();
      try {
        await slot.waitToRecord();
        await slot.waitToSend();
        return await send();
      } catch (error) {
        if (error === batchOver) return null;
        throw error;
      } finally {
        setImmediate(slot.release);
      }
    },
    end() {
      for (const { file, lock, records, close } of logs.splice(0)) {
        close();
        if (![...records.values()].includes(true)) removeQuietly(files, file);
        lock.release();
      }
    },
  };
}

/**
 * Sends in a slot. A request that was applied frees it at once, before its outcome is written. Any other keeps it until
 * the caller has seen the outcome, which may stop the batch.
 */
function clientInSlot({ client, onRetry }: BatchOptions, slot: Slot): Client {
  return {
    ...client,
    async send(request, input) {
      const beforeAttempt = async (attempt: number) => {
        if (attempt > 1) await input.beforeAttempt?.(attempt);
      };
      try {
        await slot.waitToRecord();
        await input.beforeAttempt?.(1);
        await slot.waitToSend();
        // Its deadline counts from now, not from when it began to wait for others.
        const outcome = await client.send(request, {
          ...input,
          beforeAttempt,
          onRetry,
        });
        if (outcome.kind === 'applied') slot.release();
        return outcome;
      } catch (error) {
        if (error !== batchOver) throw error;
        const failure = { code: 'cancelled', message: 'the batch ended before it was sent' } as const;
        return { kind: 'not_sent', attempts: 0, requestId: null, retryAt: null, failure };
      }
    },
  };
}

async function openLog(files: Files, history: History): Promise<Log> {
  const batch = history.newId();
  const file = logFile(history.folder, batch);
  const lock = await history.acquire(lockName({ id: batch, batch }));
  try {
    ensureFolder(files, history.folder);
    const descriptor = files.fileSystem.openSync(file, flags, 0o600);
    syncFolder(files, history.folder);
    const writer = writeTogether(file, descriptor, files);
    return {
      batch,
      file,
      lock: checkSometimes(lock),
      records: new Map<string, boolean>(),
      length: 0,
      ...writer,
    };
  } catch (error) {
    lock.release();
    throw historyError(error, 'write', file);
  }
}

const { O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_WRONLY } = fs.constants;
const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;

/** No process takes over a lock with a heartbeat in the last 30 s, so checking it once a second is enough. */
const lockCheckMs = 1_000;

function checkSometimes(lock: Lock): Lock {
  let checkedAt = 0;
  return {
    ...lock,
    assertHeld() {
      // Unlike a monotonic clock, this one goes on while the machine sleeps.
      if (Math.abs(Date.now() - checkedAt) < lockCheckMs) return;
      lock.assertHeld();
      checkedAt = Date.now();
    },
  };
}
