import type { OperationClass } from '../operations.ts';
import type { Run } from '../play.ts';
import { describeFault } from '../service/faults.ts';
import type { SeenRequest } from '../service/model-server.ts';
import type { ProgramPromise } from './promise.ts';
import { isDoubtful, isResume, isSettledByUser, type Story, wasKilled } from './story.ts';

/** Promises about what leaves the machine, and when. */
export const sendingPromises: readonly ProgramPromise[] = [
  {
    id: 'recorded-before-sent',
    text: 'no write leaves before its record is on disk',
    check: ({ runs }) => {
      const sends = runs.flatMap(({ events }) =>
        events.flatMap((event) =>
          event.event === 'send' && event.recorded !== undefined ? [event.recorded] : [],
        ),
      );
      if (sends.length === 0) return null;
      return sends.includes(false) ? ['a write was sent whose record was not synced'] : [];
    },
  },
  {
    id: 'own-connection',
    text: 'a write outside a batch has a connection of its own',
    check: ({ runs, isBatch }) => {
      const alone = isBatch
        ? []
        : runs.filter(({ requests }) => requests.some(({ write }) => write !== null));
      if (alone.length === 0) return null;
      return alone.flatMap(({ typed, requests }) =>
        requests
          .filter(({ write }) => write !== null)
          .filter(({ connection }) => requests.filter((other) => other.connection === connection).length > 1)
          .map(({ number }) => `${typed}: request ${number} shared its connection`),
      );
    },
  },
  {
    id: 'retry-after-kept',
    text: '`Retry-After` is never cut short, by a later command neither',
    check: checkWaits,
  },
  {
    id: 'goes-on',
    text: 'what may be sent again is sent again, while attempts and time are left',
    check: checkRetries,
  },
  {
    id: 'one-shot-once',
    text: 'a one-shot write in doubt is never sent again by itself, but with its key where the service applies keys once',
    check: (story) => {
      if (story.class !== 'one-shot') return null;
      const isKeyApplied = story.schedule.service === 'keys';
      return story.asks.flatMap(({ subject, episodes }) => {
        // A read may have shown it, too.
        const settled = episodes.findLastIndex(
          ({ run, reported }) => isSettledByUser(run) || reported === 'applied',
        );
        const writes = episodes
          .slice(settled + 1)
          .flatMap((episode) => episode.writes)
          .sort((a, b) => a.at - b.at);
        const doubtful = writes.findIndex(isDoubtful);
        const key = writes[doubtful]?.key;
        const later = doubtful === -1 ? [] : writes.slice(doubtful + 1);
        const again = later.find((write) => !isKeyApplied || write.key !== key);
        return again === undefined ? [] : [`${subject}: request ${again.number} after one in doubt`];
      });
    },
  },
  {
    id: 'key-of-other-arguments',
    text: 'the same key with other arguments is refused locally: exit 2',
    check: ({ schedule, runs, requests, wasDamaged }) => {
      // Which arguments a key had may be lost with a log.
      if (wasDamaged) return null;
      // A key whose requests were all refused is free again, for other arguments too; `--new` makes a key of its own.
      const withKey = requests.filter(
        ({ body, write }) =>
          body.includes(`"key-${schedule.seed}"`) && write?.subject !== schedule.otherSubject,
      );
      const isTaken = (run: Run) =>
        withKey.some(({ view, at }) => at < run.startedMs && view !== 'refused' && view !== 'throttled');
      const affected = runs.filter(
        (run) => run.typed === 'key-with-other-arguments' && isTaken(run) && !wasKilled(run),
      );
      if (affected.length === 0) return null;
      return affected.flatMap((run) => {
        const isRefused = run.exitCode === 2 || (run.exitCode === 11 && run.mishaps.fullAt > 0);
        const writes = run.requests.filter(({ write }) => write !== null);
        return isRefused && writes.length === 0 ? [] : [`exit ${run.exitCode}, ${writes.length} writes`];
      });
    },
  },
];

const maxAttempts = 4;
/** The longest wait before the fourth attempt, and what a busy machine may take. */
const longestWaitMs = 6000;

/** A single command that gave up although its class lets it try again. */
function checkRetries({ runs, schedule, isBatch, class: operationClass }: Story): readonly string[] | null {
  if (operationClass === 'read' || isBatch) return null;
  const verdicts = runs.flatMap((run) => {
    const own = run.requests.filter(({ write }) => write?.operation === schedule.operation);
    const last = own.at(-1);
    const isCalm = !wasKilled(run) && run.mishaps.fullAt === 0 && run.damagedFiles.length === 0;
    if (!isCalm || last === undefined || isResume(run) || run.inPair) return [];
    if (own.length >= maxAttempts || !mayGoOn(operationClass, own)) return [];
    const waits = run.events.map((event) => (event.event === 'wait' ? event.ms + event.waitMs : 0));
    const nextMs = Math.max(last.answeredAt, ...waits) + longestWaitMs;
    if (nextMs > run.startedMs + schedule.timeoutMs) return [];
    return [`${run.typed}: exit ${run.exitCode} after ${own.length} attempts: ${describeFault(last.fault)}`];
  });
  const cameUp = runs.some(({ requests }) =>
    requests.some(({ view }) => view === 'throttled' || view === 'doubtful'),
  );
  return cameUp ? verdicts : null;
}

/** By the retry table: whether there is another attempt after the last of these. */
function mayGoOn(operationClass: OperationClass, writes: readonly SeenRequest[]): boolean {
  const last = writes.at(-1);
  if (last?.view === 'throttled') return true;
  if (last?.view !== 'doubtful' || operationClass === 'one-shot') return false;
  const { ending } = last.fault;
  if (ending.does === 'contradict') return false;
  if (ending.does === 'status') return ending.status === 408 || ending.status >= 500;
  if (ending.does !== 'unreadable') return true;
  const isUnusable = ({ fault, view }: SeenRequest) =>
    view === 'doubtful' && ['unreadable', 'contradict'].includes(fault.ending.does);
  return operationClass === 'keyed' && writes.filter(isUnusable).length === 1;
}

/** The hook may see two connections in the same turn of the event loop. */
const sameTurnMs = 20;
/** Clocks are read at slightly different moments. */
const roundingMs = 3;

function checkWaits(story: Story): readonly string[] | null {
  const { runs } = story;
  let seen = false;
  const broken: string[] = [];
  for (const run of runs) {
    for (const wait of run.events) {
      if (wait.event !== 'wait') continue;
      if (run.requests.some(({ isHidden, clientPort }) => isHidden && clientPort === wait.port)) continue;
      seen = true;
      const early = run.events.find(
        ({ event, ms }) =>
          event === 'send' && ms > wait.ms + sameTurnMs && ms < wait.ms + wait.waitMs - roundingMs,
      );
      if (early)
        broken.push(`sent ${Math.round(early.ms - wait.ms)} ms after being asked to wait ${wait.waitMs} ms`);
    }
  }
  broken.push(...sentDespiteEarlierAnswer(story));
  return seen ? broken : null;
}

/** What a write was asked to wait holds for all later commands. */
function sentDespiteEarlierAnswer({ runs, wasDamaged, hadPowerCut }: Story): string[] {
  // A full disk keeps no time, and a clock that is off makes another of it.
  const isKept = ({ mishaps }: Run) => mishaps.offsetMs === 0 && mishaps.jumpAt === 0 && mishaps.fullAt === 0;
  // The file with the wait is not synced.
  if (wasDamaged || hadPowerCut) return [];
  return runs.flatMap((run) => {
    const unkept = runs.findLastIndex((other) => other.startedMs <= run.startedMs && !isKept(other));
    const earlier = runs.filter(
      (other, place) => place > unkept && other.endedMs <= run.startedMs && !wasKilled(other),
    );
    const until = Math.max(0, ...earlier.flatMap(({ requests }) => requests.map(waitsUntil)));
    const send = run.events.find(({ event }) => event === 'send');
    const early = send === undefined ? 0 : until - send.ms;
    return early > roundingMs ? [`${run.typed} sent ${Math.round(early)} ms too soon`] : [];
  });
}

function waitsUntil({ write, fault: { ending }, view, isHidden, answeredAt }: SeenRequest): number {
  if (write === null || view === null || isHidden || ending.does !== 'status' || ending.wait === null)
    return 0;
  return answeredAt + ending.wait.ms;
}
