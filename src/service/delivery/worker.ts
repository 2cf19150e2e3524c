import { describeError } from '../model/errors.ts';
import { createId } from '../model/ids.ts';
import { documentOf } from '../model/settings-document.ts';
import { timestamp } from '../model/time.ts';
import type { Storage } from '../storage/core/storage.ts';
import {
  type ClaimedDelivery,
  type DeliveryChanges,
  type DeliveryRef,
  disableEndpoint,
  listDue,
  lockDue,
  updatePending,
} from '../storage/queries/deliveries.ts';
import { findSettings } from '../storage/queries/settings.ts';
import { buildMessage } from './message.ts';
import { quietHoursEnd } from './quiet-hours.ts';
import type { Send } from './send.ts';
import { decideVerdict, type Verdict } from './verdict.ts';

/** How long a claim lasts without renewal, and so how long a delivery waits after its worker was killed. */
const leaseMs = 6_000;
const renewEveryMs = 2_000;

/** Pause between two looks of an idle worker. */
const pollMs = 500;

/** Endpoints that a worker sends to at the same time. */
const maxInFlight = 64;

/** A held delivery is checked again after this time, in case the quiet hours were changed. */
const maxHoldMs = 60_000;

/** How long aborted sends may take to store their result. */
const settleMs = 2_000;

export interface WorkerOptions {
  readonly storage: Storage;
  readonly send: Send;
  /** In epoch milliseconds. Default: the system clock. */
  readonly clock?: () => number;
  /** From 0 to 1, for the jitter of pauses. */
  readonly random?: () => number;
  /** How long running sends may take after a stop. Default: 10 s. */
  readonly graceMs?: number;
  /** Gets one record per attempt, without URL and text. */
  readonly log?: (line: object) => void;
}

export interface DeliveryWorker {
  /** Sends due deliveries until none is due. */
  deliverDue(): Promise<void>;
  /** Sends due deliveries until it is stopped. */
  start(): void;
  /** Claims nothing more and waits up to 10 s for running sends. */
  stop(): Promise<void>;
}

interface Claim {
  readonly delivery: ClaimedDelivery;
  readonly storeId: string;
  /** Identifies this claim. A worker that has lost it must not change the delivery. */
  readonly token: string;
  readonly message: object;
}

/**
 * Sends the deliveries of all stores: at least once, in order per endpoint, and endpoints independently. Any number of
 * workers may share a database. If a worker is killed between sending and storing the result, another one sends again, with
 * the same event id.
 */
export function createDeliveryWorker(options: WorkerOptions): DeliveryWorker {
  const { storage, send, clock = Date.now, random = Math.random, log = () => {} } = options;
  const { graceMs = 10_000 } = options;
  const inFlight = new Map<string, Promise<void>>();
  const stopping = new AbortController();
  const abortSends = new AbortController();
  let wake = () => {};
  /** Since the last look for due deliveries. */
  let attemptEnded = false;

  /** Starts as many due deliveries as there are free slots. */
  async function fill(): Promise<void> {
    const room = maxInFlight - inFlight.size;
    if (room <= 0) return;
    const due = await storage.read((db) => listDue(db, timestamp(clock()), room));
    for (const ref of due) {
      // If this process was suspended, its own lease may have ended.
      if (stopping.signal.aborted || inFlight.has(ref.id)) continue;
      const claim = await claimOrHold(ref).catch((error: unknown) => postpone(ref, error));
      if (claim === null) continue;
      const running = attempt(claim)
        .catch((error: unknown) => log({ level: 'error', delivery: ref.id, error: describeError(error) }))
        .finally(() => {
          inFlight.delete(ref.id);
          attemptEnded = true;
          wake();
        });
      inFlight.set(ref.id, running);
    }
  }

  /** Null if another worker has claimed it, and during quiet hours. */
  async function claimOrHold({ storeId, id }: DeliveryRef): Promise<Claim | null> {
    const now = clock();
    return storage.forStore(storeId).write(async (db) => {
      const tenant = { db, storeId };
      const delivery = await lockDue(tenant, id, timestamp(now));
      if (delivery === undefined) return null;
      const { quietHours, templates } = documentOf((await findSettings(tenant))?.document);
      const quietUntil = quietHoursEnd(quietHours, now);
      if (quietUntil !== null) {
        const nextAttemptAt = timestamp(Math.min(quietUntil, now + maxHoldMs));
        await updatePending(tenant, id, { nextAttemptAt });
        return null;
      }
      const token = createId();
      const { attempts, firstAttemptAt, event, discordTemplate } = delivery;
      const nextAttemptAt = timestamp(now + leaseMs);
      await updatePending(tenant, id, { attempts, firstAttemptAt, claimedBy: token, nextAttemptAt });
      const message = buildMessage({ event, template: templates[event.type], discordTemplate });
      return { delivery, storeId, token, message };
    });
  }

  /** A delivery that cannot be claimed must not block others. */
  async function postpone({ storeId, id }: DeliveryRef, error: unknown): Promise<null> {
    log({ level: 'error', delivery: id, error: describeError(error) });
    const nextAttemptAt = timestamp(clock() + maxHoldMs);
    await storage.forStore(storeId).write((db) => updatePending({ db, storeId }, id, { nextAttemptAt }));
    return null;
  }

  async function attempt(claim: Claim): Promise<void> {
    const { delivery, storeId } = claim;
    const startedAt = performance.now();
    const renewal = setInterval(() => {
      renew(claim).catch((error: unknown) =>
        log({ level: 'error', delivery: delivery.id, error: describeError(error) }),
      );
    }, renewEveryMs);
    try {
      const result = await send(delivery.secretUrl, claim.message, abortSends.signal, delivery.traceparent);
      const verdict = decideVerdict(result, {
        number: delivery.attempts,
        firstAt: Date.parse(delivery.firstAttemptAt),
        now: clock(),
        random: random(),
      });
      await settle(claim, verdict);
      log({
        delivery: delivery.id,
        event: delivery.event.id,
        endpoint: delivery.endpointId,
        store: storeId,
        attempt: delivery.attempts,
        outcome: verdict.kind,
        ...('reason' in verdict && { reason: verdict.reason }),
        ms: Math.round(performance.now() - startedAt),
        ...(delivery.traceparent && { traceparent: delivery.traceparent }),
      });
    } finally {
      clearInterval(renewal);
    }
  }

  async function renew({ delivery, storeId, token }: Claim): Promise<void> {
    const nextAttemptAt = timestamp(clock() + leaseMs);
    await storage
      .forStore(storeId)
      .write((db) => updatePending({ db, storeId }, delivery.id, { nextAttemptAt }, token));
  }

  async function settle({ delivery, storeId, token }: Claim, verdict: Verdict): Promise<void> {
    const now = timestamp(clock());
    await storage.forStore(storeId).write((db) => {
      const tenant = { db, storeId };
      if (verdict.kind === 'disable') {
        return disableEndpoint(tenant, delivery.endpointId, verdict.reason, now);
      }
      // A message that has arrived is delivered, even if the claim was lost.
      const onlyWithClaim = verdict.kind === 'delivered' ? undefined : token;
      return updatePending(tenant, delivery.id, changesOf(verdict, now), onlyWithClaim);
    });
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      attemptEnded = false;
      await fill().catch((error: unknown) => log({ level: 'error', error: describeError(error) }));
      if (!attemptEnded && !stopping.signal.aborted) await idle();
    }
  }

  function idle(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, pollMs);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  let running: Promise<void> | undefined;
  return {
    async deliverDue() {
      do {
        attemptEnded = false;
        await fill();
        if (inFlight.size > 0) await Promise.race(inFlight.values());
        // The end of an attempt may make the next delivery of the endpoint due.
      } while (attemptEnded);
    },
    start() {
      running ??= run();
    },
    async stop() {
      stopping.abort();
      wake();
      const timers = [setTimeout(() => abortSends.abort(), graceMs)];
      const ended = (async () => {
        await running;
        await Promise.all(inFlight.values());
      })();
      // The database may not answer.
      const tooLate = new Promise<void>((resolve) => {
        timers.push(setTimeout(resolve, graceMs + settleMs));
      });
      await Promise.race([ended, tooLate]);
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

function changesOf(verdict: Exclude<Verdict, { kind: 'disable' }>, now: string): DeliveryChanges {
  switch (verdict.kind) {
    case 'delivered':
      return { status: 'delivered', settledAt: now, claimedBy: null, lastError: null };
    case 'dead':
      return { status: 'dead', settledAt: now, claimedBy: null, lastError: verdict.reason };
    case 'retry':
      return { nextAttemptAt: timestamp(verdict.at), claimedBy: null, lastError: verdict.reason };
  }
}
