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
import { judge, type Verdict } from './verdict.ts';

/** How long a claim lasts without being renewed: so long does a delivery wait after the worker that had it was killed. */
const leaseMs = 6_000;
const renewEveryMs = 2_000;

/** How long an idle worker sleeps before it looks again. */
const pollMs = 500;

/** Endpoints that one worker sends to at the same time. */
const maxInFlight = 64;

/** How soon a change of the quiet hours is noticed. */
const longestHoldMs = 60_000;

/** How long what was cut off may take to say so in the database. */
const settleMs = 2_000;

export interface WorkerOptions {
  readonly storage: Storage;
  readonly send: Send;
  /** Epoch milliseconds. The system's clock unless given. */
  readonly clock?: () => number;
  /** From 0 to 1, for the pauses between attempts. */
  readonly random?: () => number;
  /** How long sends may go on once the worker is told to stop. 10 s unless given. */
  readonly graceMs?: number;
  /** Takes one record for each attempt. They never hold an address or a text. */
  readonly log?: (line: object) => void;
}

export interface DeliveryWorker {
  /** Sends what is due, and what becomes due meanwhile, until nothing is. */
  deliverDue(): Promise<void>;
  /** Does so again and again until it is stopped. */
  start(): void;
  /** Claims nothing more, and lets sends that are running finish for up to 10 s. */
  stop(): Promise<void>;
}

interface Claim {
  readonly delivery: ClaimedDelivery;
  readonly storeId: string;
  /** Names this claim: a worker that lost it may not change the delivery. */
  readonly token: string;
  readonly message: object;
}

/**
 * Sends the deliveries of all stores: at least once, in order for each endpoint, endpoints independently of each
 * other. Any number of workers may share a database. A worker that is killed after sending and before that is on disk
 * makes another one send again, with the same event id.
 */
export function createDeliveryWorker(options: WorkerOptions): DeliveryWorker {
  const { storage, send, clock = Date.now, random = Math.random, log = () => {} } = options;
  const { graceMs = 10_000 } = options;
  const inFlight = new Map<string, Promise<void>>();
  const stopping = new AbortController();
  const cut = new AbortController();
  let wake = () => {};
  /** Since the last look at what is due. */
  let attemptEnded = false;

  /** Starts what is due, as far as there is room. */
  async function fill(): Promise<void> {
    const room = maxInFlight - inFlight.size;
    if (room <= 0) return;
    const due = await storage.read((db) => listDue(db, timestamp(clock()), room));
    for (const ref of due) {
      // After a long pause of this process a lease of its own may have ended.
      if (stopping.signal.aborted || inFlight.has(ref.id)) continue;
      const claim = await claimOrHold(ref).catch((error: unknown) => setAside(ref, error));
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

  /** Null when another worker was faster, and in the store's quiet hours. */
  async function claimOrHold({ storeId, id }: DeliveryRef): Promise<Claim | null> {
    const now = clock();
    return storage.forStore(storeId).write(async (db) => {
      const tenant = { db, storeId };
      const delivery = await lockDue(tenant, id, timestamp(now));
      if (delivery === undefined) return null;
      const { quietHours, templates } = documentOf((await findSettings(tenant))?.document);
      const quietUntil = quietHoursEnd(quietHours, now);
      if (quietUntil !== null) {
        const nextAttemptAt = timestamp(Math.min(quietUntil, now + longestHoldMs));
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

  /** What cannot even be claimed is not to hold up what comes after it. */
  async function setAside({ storeId, id }: DeliveryRef, error: unknown): Promise<null> {
    log({ level: 'error', delivery: id, error: describeError(error) });
    const nextAttemptAt = timestamp(clock() + longestHoldMs);
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
      const result = await send(delivery.secretUrl, claim.message, cut.signal);
      const verdict = judge(result, {
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
      // What has arrived has arrived, even where the claim was lost.
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
        // An attempt that has ended may have made the next delivery due.
      } while (attemptEnded);
    },
    start() {
      running ??= run();
    },
    async stop() {
      stopping.abort();
      wake();
      const timers = [setTimeout(() => cut.abort(), graceMs)];
      const ended = (async () => {
        await running;
        await Promise.all(inFlight.values());
      })();
      // A database that does not answer is not waited for.
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
