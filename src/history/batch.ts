import * as fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Client } from '../client/client.ts';
import { logFile, splitLog, toLine } from './batch-log.ts';
import { type HistoryError, historyError } from './errors.ts';
import { ensureFolder, type Files, fileExists, syncFolder } from './files.ts';
import { newRecord, refuseSecrets } from './intent.ts';
import type { History } from './journal.ts';
import type { Lock } from './lock.ts';
import { intentOf, type PerformOptions } from './perform.ts';
import { type HistoryRecord, lockName } from './record.ts';
import { type Performed, sendRecord } from './send.ts';

/** What an operation of a batch takes: it is never keyed, so it goes on with no earlier record. */
export type BatchOptions = Pick<
  PerformOptions,
  | 'client'
  | 'operation'
  | 'profile'
  | 'origin'
  | 'storeId'
  | 'parameters'
  | 'body'
  | 'secrets'
  | 'signal'
  | 'timeoutMs'
  | 'retryRateLimited'
>;

/** Many operations that change something, one after the other or at the same time, written down together. */
export interface Batch {
  /** As `performRecorded`, with the same promises: the record is on disk before the first byte is sent. */
  perform(options: BatchOptions): Promise<Performed>;
  /** When nothing is being performed any more. Each record has a file of its own then. */
  end(): Promise<void>;
}

export interface BatchLimits {
  /** Operations that are on their way at the same time. */
  readonly mostAtOnce: number;
  /** Says whether what is not on its way yet shall not be sent any more: its outcome is `not_sent` then. */
  isOver(): boolean;
}

/** A log of a batch; see batch-log.ts. */
interface Log {
  readonly batch: string;
  readonly lock: Lock;
  readonly records: Map<string, HistoryRecord>;
  /** Characters that were added. */
  length(): number;
  /** On disk when the promise resolves, soon, or with the next that cannot wait. Rejects with a HistoryError. */
  add(line: string, canWait: boolean): Promise<void>;
  close(): void;
}

/** So long, in characters, before another is begun: one is read as a whole. */
const longestLog = 16 * 1024 * 1024;

export function openBatch(files: Files, history: History, limits: BatchLimits): Batch {
  const logs: Log[] = [];
  // While some are on their way, as many more are written down, so that they can follow at once; not more, since what
  // is written down as sent and was not is in doubt when the process is killed.
  const gates = [openGate({ ...limits, mostAtOnce: 2 * limits.mostAtOnce }), openGate(limits)] as const;
  let opening: Promise<Log> | undefined;

  /** The log that new records go to. */
  async function currentLog(): Promise<Log> {
    const log = logs.at(-1);
    if (log !== undefined && log.length() < longestLog) return log;
    opening ??= openLog(files, history)
      .then((opened) => {
        logs.push(opened);
        return opened;
      })
      .finally(() => {
        opening = undefined;
      });
    return opening;
  }

  async function update(record: HistoryRecord, patch: Partial<HistoryRecord>): Promise<HistoryRecord> {
    const log = logs.find(({ batch }) => batch === record.batch);
    if (log === undefined) return history.update(record, patch);
    const current = log.records.get(record.id) ?? record;
    const next = { ...current, ...patch, updatedAt: new Date(history.now()).toISOString() };
    // Nothing depends on what came of it, and the next request that is written down comes soon.
    await log.add(toLine(next), next.state !== 'sent');
    log.records.set(record.id, next);
    return next;
  }

  function newId({ records }: Log): string {
    for (;;) {
      const id = history.newId();
      if (!records.has(id) && !fileExists(files, path.join(history.folder, `${id}.json`))) return id;
    }
  }

  return {
    async perform(options) {
      const intent = intentOf(options, options.body);
      refuseSecrets(intent, options.secrets);
      const log = await currentLog();
      const record = { ...newRecord(intent, newId(log), history.now()), batch: log.batch };
      log.records.set(record.id, record);
      const { client, done } = throughGates(options.client, gates);
      const sending = { ...options, client, history: { ...history, update }, followsClosely: true };
      // The caller hears of it before the next one is let in.
      return sendRecord(sending, log.lock, record).finally(() => setImmediate(done));
    },
    async end() {
      for (const { batch, lock, close } of logs.splice(0)) {
        close();
        try {
          await splitLog(files, history.folder, batch);
        } catch {
          // The disk is full, say. Everything is in the log, where the next command finds it.
        } finally {
          lock.release();
        }
      }
    },
  };
}

/** Lets a number of holders in at a time, in the order in which they came, until it is over. */
interface Gate {
  /** Throws {@link turnedAway} when it is over. */
  enter(): Promise<void>;
  leave(): void;
}

const turnedAway = new Error('the batch is over');

function openGate({ mostAtOnce, isOver }: BatchLimits): Gate {
  const queue: (() => void)[] = [];
  let free = mostAtOnce;
  const gate: Gate = {
    async enter() {
      if (free === 0) await new Promise<void>((resolve) => queue.push(resolve));
      else free -= 1;
      if (!isOver()) return;
      gate.leave();
      throw turnedAway;
    },
    leave() {
      const next = queue.shift();
      if (next === undefined) free += 1;
      else next();
    },
  };
  return gate;
}

/**
 * Sends through two gates, once: the first is before the request is written down as sent, the second before it is sent.
 * To write down what came of it keeps no others from being sent; but what was not applied keeps its places until `done`,
 * since it may mean that the others shall not be sent.
 */
function throughGates(
  client: Client,
  [first, second]: readonly [Gate, Gate],
): { readonly client: Client; done(): void } {
  const entered: Gate[] = [];
  const enter = async (gate: Gate) => {
    if (entered.includes(gate)) return;
    await gate.enter();
    entered.push(gate);
  };
  const leave = () => {
    for (const gate of entered.splice(0)) gate.leave();
  };
  return {
    done: leave,
    client: {
      ...client,
      async send(request, input) {
        const beforeAttempt = async (attempt: number) => {
          await enter(first);
          await input.beforeAttempt?.(attempt);
          await enter(second);
        };
        try {
          const outcome = await client.send(request, { ...input, beforeAttempt });
          if (outcome.kind === 'applied') leave();
          return outcome;
        } catch (error) {
          if (error !== turnedAway) throw error;
          const failure = { code: 'cancelled', message: 'the batch ended before it was sent' } as const;
          return { kind: 'not_sent', attempts: 0, requestId: null, failure };
        }
      },
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
    return {
      batch,
      lock: lookNowAndThen(lock),
      records: new Map(),
      ...writeTogether(file, descriptor, files),
    };
  } catch (error) {
    lock.release();
    throw historyError(error, 'write', file);
  }
}

/** Nobody takes a lock over whose holder has stirred within 30 s, so a look at it holds for a second by any clock. */
const lookAtLockMs = 1_000;

function lookNowAndThen(lock: Lock): Lock {
  let lookedAt = 0;
  return {
    ...lock,
    assertHeld() {
      // Unlike other clocks, this one goes on while the machine sleeps.
      if (Math.abs(Date.now() - lookedAt) < lookAtLockMs) return;
      lock.assertHeld();
      lookedAt = Date.now();
    },
  };
}

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_WRONLY } = fs.constants;
const flags = O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW;

const sync = promisify(fs.fdatasync);

/** For which a line that can wait does so. */
const longestWaitMs = 10;

interface Waiting {
  readonly line: string;
  readonly canWait: boolean;
  resolve(): void;
  reject(error: HistoryError): void;
}

/** Lines that come while others are being synced are written and synced together afterwards. */
function writeTogether(
  file: string,
  descriptor: number,
  { fileSystem }: Files,
): Pick<Log, 'add' | 'length' | 'close'> {
  let waiting: Waiting[] = [];
  let isWriting = false;
  let timer: NodeJS.Timeout | undefined;
  let length = 0;
  /** After a write that failed half-way, the next line begins on a line of its own. */
  let separator = '';

  async function write(): Promise<void> {
    isWriting = true;
    clearTimeout(timer);
    do {
      // Lets everything that happens in this turn of the event loop come along.
      await new Promise((resolve) => setImmediate(resolve));
      const group = waiting;
      waiting = [];
      try {
        const bytes = Buffer.from(separator + group.map(({ line }) => line).join(''));
        separator = '\n';
        for (let at = 0; at < bytes.length; ) at += fileSystem.writeSync(descriptor, bytes, at);
        length += bytes.length;
        await sync(descriptor);
        separator = '';
        for (const { resolve } of group) resolve();
      } catch (cause) {
        const error = historyError(cause, 'write', file);
        for (const { reject } of group) reject(error);
      }
    } while (waiting.some(({ canWait }) => !canWait));
    isWriting = false;
    timer = waiting.length === 0 ? undefined : setTimeout(write, longestWaitMs);
  }

  return {
    length: () => length,
    add: (line, canWait) =>
      new Promise((resolve, reject) => {
        waiting.push({ line, canWait, resolve, reject });
        if (isWriting) return;
        if (canWait) timer ??= setTimeout(write, longestWaitMs);
        else void write();
      }),
    close: () => fileSystem.closeSync(descriptor),
  };
}
