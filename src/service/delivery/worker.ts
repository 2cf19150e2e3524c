import { setMaxListeners } from 'node:events';
import { monotonicMs } from '../../base/clock.ts';
import { describeError } from '../model/errors.ts';
import { createId } from '../model/ids.ts';
import { timestamp } from '../model/time.ts';
import type { Queries, Storage } from '../storage/core/storage.ts';
import {
  claim,
  type DueEndpoint,
  disableEndpoint,
  findPending,
  isAnyDue,
  lockClaim,
  lockDue,
  saveOutcome,
  schedule,
} from '../storage/queries/deliveries.ts';
import { createClockFollower } from './follow-clock.ts';
import { type DeliveryPlan, type Outgoing, planDelivery } from './plan.ts';
import { createSender, type Send } from './send.ts';
import { decideVerdict, type Verdict } from './verdict.ts';

/** Attempts that may be in their first second: those that take longer wait for a receiver, and hold up nobody. */
const maxSlots = 64;
const slotMs = 1_000;

/** How many of the slots endpoints can have whose last attempt failed. */
const maxFailingSlots = 16;

/** How long a claim lasts: longer than an attempt. If a worker is killed, its messages wait until then. */
const claimMs = 20_000;

/** Pause between two looks of an idle worker. */
const pollMs = 500;

/** How long an endpoint waits whose message cannot be made. */
const damagedMs = 60_000;

/** How long aborted sends may take to store their result. */
const settleMs = 2_000;

export interface DeliveryWorkerOptions {
  readonly storage: Storage;
  readonly send: Send;
  /** In epoch milliseconds. Default: the system clock. */
  readonly clock?: () => number;
  /** In milliseconds since some moment. Default: a clock that nobody puts back. */
  readonly elapsed?: () => number;
  /** From 0 to 1, for the jitter of pauses. */
  readonly random?: () => number;
  /** How long running sends may take after a stop. Default: 10 s. */
  readonly graceMs?: number;
  /** Gets one record per attempt, without URL and text. */
  readonly log?: (line: object) => void;
}

export interface DeliveryOptions extends Pick<DeliveryWorkerOptions, 'storage' | 'log'> {
  /** A receiver on this machine that gets everything instead of Discord, from `parseSink`. */
  readonly sink?: URL | undefined;
}

export interface DeliveryWorker {
  /** Sends due deliveries until none is due. */
  deliverDue(): Promise<void>;
  /** Sends due deliveries until it is stopped. */
  start(): void;
  /** Attempts that could begin now. */
  freeSlots(): number;
  /** Claims nothing more and waits up to 10 s for running sends. Await it before closing the storage. */
  stop(): Promise<void>;
}

/** Starts sending the deliveries in the outbox. */
export function startDeliveries({ sink, ...options }: DeliveryOptions): DeliveryWorker {
  const worker = createDeliveryWorker({ ...options, send: createSender({ sink }) });
  worker.start();
  return worker;
}

interface Claim extends Outgoing {
  readonly endpoint: DueEndpoint;
  /** This one included. */
  readonly attempts: number;
  readonly firstAt: number;
  /** Identifies this claim. A worker that has lost it must not change the endpoint. */
  readonly token: string;
}

/**
 * Sends the deliveries of all stores: at least once, and in order per endpoint, because an endpoint is what a worker claims
 * and its oldest pending delivery is what it sends. Any number of workers may share a database. If a worker is killed
 * between sending and storing the result, another one sends again, with the same event id.
 */
export function createDeliveryWorker(options: DeliveryWorkerOptions): DeliveryWorker {
  const { storage, send, clock = Date.now, elapsed = monotonicMs } = options;
  const { random = Math.random, log = () => {}, graceMs = 10_000 } = options;
  const slots = new Set<DueEndpoint>();
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  const abortSends = new AbortController();
  // Each running send listens to it.
  setMaxListeners(0, abortSends.signal);
  /** Nothing is sent before this time, as `elapsed` has it. */
  let pausedUntil = 0;
  const followClock = createClockFollower({ storage, elapsed, log });
  let isWoken = false;
  let wake = () => {};

  function notice(): void {
    isWoken = true;
    wake();
  }

  function findRoom() {
    const failing = [...slots].filter(({ isFailing }) => isFailing).length;
    return { total: maxSlots - slots.size, failing: maxFailingSlots - failing };
  }

  /** Handles endpoints that are due, as many as there are free slots. False if there is nothing to do. */
  async function fill(): Promise<boolean> {
    const now = clock();
    const room = findRoom();
    if (room.total === 0 || elapsed() < pausedUntil) return false;
    await followClock(now);
    // Looking is cheaper than claiming, which writes.
    if (!(await storage.read((db) => isAnyDue(db, timestamp(now), room)))) return false;
    const { claims, damaged, handled } = await storage.write((db) => claimDue(db, now, room));
    for (const line of damaged) log({ level: 'error', ...line });
    for (const claimed of claims) begin(claimed);
    return handled > 0;
  }

  async function claimDue(db: Queries, now: number, room: ReturnType<typeof findRoom>) {
    const claims: Claim[] = [];
    const damaged: object[] = [];
    const due = await lockDue(db, timestamp(now), room);
    for (const endpoint of due) {
      const { storeId: store, id } = endpoint;
      const delivery = await findPending(db, endpoint);
      let plan: DeliveryPlan;
      try {
        plan = planDelivery(endpoint, delivery, now);
      } catch (error) {
        // A message that cannot be made must not block others.
        damaged.push({ store, endpoint: id, delivery: delivery?.id, error: describeError(error) });
        plan = { dueAt: timestamp(now + damagedMs), held: false };
      }
      if ('message' in plan) {
        const token = createId();
        const times = { token, until: timestamp(now + claimMs), now: timestamp(now) };
        await claim(db, endpoint, plan.delivery.id, times);
        const { attempts, firstAttemptAt } = plan.delivery;
        const firstAt = firstAttemptAt === null ? now : Date.parse(firstAttemptAt);
        claims.push({ ...plan, endpoint, attempts: attempts + 1, firstAt, token });
      } else {
        await schedule(db, { ...endpoint, ...plan, now: timestamp(now) });
      }
    }
    return { claims, damaged, handled: due.length };
  }

  function begin(claimed: Claim): void {
    const { endpoint, delivery } = claimed;
    slots.add(endpoint);
    const freeSlot = () => {
      if (slots.delete(endpoint)) notice();
    };
    const timer = setTimeout(freeSlot, slotMs);
    const attempted: Promise<void> = attempt(claimed)
      .catch((error: unknown) => log({ level: 'error', delivery: delivery.id, error: describeError(error) }))
      .finally(() => {
        clearTimeout(timer);
        running.delete(attempted);
        freeSlot();
        // The next message of the endpoint may be due.
        notice();
      });
    running.add(attempted);
  }

  async function attempt(claimed: Claim): Promise<void> {
    const { endpoint, delivery, attempts: number, firstAt, webhookUrl, message } = claimed;
    const { traceparent } = delivery;
    const startedAt = performance.now();
    const result = await send(webhookUrl, message, abortSends.signal, traceparent);
    const verdict = decideVerdict(result, { number, firstAt, now: clock(), random: random() });
    if (verdict.kind === 'pause') pausedUntil = Math.max(pausedUntil, elapsed() + verdict.at - clock());
    await storage.write((db) => settle(db, claimed, verdict));
    log({
      delivery: delivery.id,
      event: delivery.eventId,
      endpoint: endpoint.id,
      store: endpoint.storeId,
      attempt: number,
      outcome: verdict.kind,
      ...('reason' in verdict && { reason: verdict.reason }),
      ms: Math.round(performance.now() - startedAt),
      ...(traceparent && { traceparent }),
    });
  }

  async function settle(db: Queries, { endpoint, delivery, token }: Claim, verdict: Verdict): Promise<void> {
    const now = timestamp(clock());
    const isClaimed = (await lockClaim(db, endpoint)) === token;
    if (verdict.kind === 'disable') return disableEndpoint(db, endpoint, verdict.reason, now);
    // A message that has arrived is delivered, even if the claim was lost.
    if (!isClaimed && verdict.kind !== 'delivered') return;
    const isPending = verdict.kind === 'retry' || verdict.kind === 'pause';
    await saveOutcome(db, {
      storeId: endpoint.storeId,
      id: delivery.id,
      status: isPending ? 'pending' : verdict.kind,
      settledAt: isPending ? null : now,
      lastError: verdict.kind === 'delivered' ? null : verdict.reason,
    });
    if (!isClaimed) return;
    const hasNext = isPending || (await findPending(db, endpoint)) !== undefined;
    const dueAt = isPending ? timestamp(verdict.at) : hasNext ? now : null;
    const isFailing = isFailingAfter(verdict, endpoint);
    await schedule(db, { ...endpoint, dueAt, now, held: false, isFailing });
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      isWoken = false;
      const isBusy = await fill().catch((error: unknown) => {
        log({ level: 'error', error: describeError(error) });
        return false;
      });
      if (!isBusy && !isWoken && !stopping.signal.aborted) await idle();
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

  let loop: Promise<void> | undefined;
  return {
    async deliverDue() {
      for (;;) {
        isWoken = false;
        // An attempt that ends while it looks makes the next message due.
        if ((await fill()) || isWoken) continue;
        if (running.size === 0) return;
        await Promise.race(running);
      }
    },
    start() {
      loop ??= run();
    },
    freeSlots: () => maxSlots - slots.size,
    async stop() {
      stopping.abort();
      wake();
      const timers = [setTimeout(() => abortSends.abort(), graceMs)];
      const ended = (async () => {
        await loop;
        await Promise.all(running);
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

/** An endpoint that asks for a pause answers well. */
function isFailingAfter(verdict: Verdict, endpoint: DueEndpoint): boolean {
  if (verdict.kind === 'pause') return endpoint.isFailing;
  return verdict.kind === 'retry' ? verdict.isFailure : verdict.kind !== 'delivered';
}
