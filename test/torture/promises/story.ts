import { type Json, type OperationClass, operations, uuidOf } from '../operations.ts';
import type { Run, Trace } from '../play.ts';
import type { Effect } from '../service/model.ts';
import type { SeenRequest } from '../service/model-server.ts';
import { isAboutEarlier } from '../steps.ts';

/**
 * What a client said about one subject when it ended:
 * - `applied`, `not-applied`, `unknown`: about the change, whichever client sent it.
 * - `not-sent`: only that this client sent nothing.
 * - `nothing`: it was killed, or spoke of something else.
 */
type Reported = 'applied' | 'not-applied' | 'unknown' | 'not-sent' | 'nothing';

/** What one client did about one subject. */
export interface Episode {
  readonly run: Run;
  readonly reported: Reported;
  /** Writes of the subject that this client sent. */
  readonly writes: readonly SeenRequest[];
}

/** One thing that the user asked for once, over all commands that are about it. */
export interface Ask {
  readonly subject: string;
  readonly episodes: readonly Episode[];
}

/** A trace in the order in which the user lived through it, at the service of the schedule. */
export interface Story extends Trace {
  readonly class: OperationClass;
  readonly isBatch: boolean;
  readonly asks: readonly Ask[];
  readonly effects: readonly Effect[];
  /** What was not synced was lost at least once. */
  readonly hadPowerCut: boolean;
  /** What the user did at the neighbour. */
  readonly elsewhere: readonly Run[];
  /** Things applied, of the operation that the schedule is about. */
  effectsOf(subject: string): readonly Effect[];
}

export function tellStory(trace: Trace): Story {
  const { schedule } = trace;
  const isHere = ({ identity }: Run) => identity.place === 'own';
  // Of two at once, the first to end is the one whose outcome the other may know.
  const runs = trace.runs.filter(isHere).sort((a, b) => a.endedMs - b.endedMs);
  const effects = trace.effectsAt.own;
  const requests = trace.requests.filter(({ place }) => place === 'own');
  const own = { ...trace, runs, requests, effects };
  const subjects = [...schedule.subjects, schedule.otherSubject];
  return {
    ...own,
    class: operations[schedule.operation].class,
    isBatch: schedule.subjects.length > 1,
    hadPowerCut:
      schedule.steps.some((step) => step.do === 'power-cut') ||
      runs.some((run) => wasKilled(run) && run.mishaps.powerCut !== null),
    elsewhere: trace.runs.filter((run) => !isHere(run)),
    asks: subjects.flatMap((subject) => asksAbout(own, subject)),
    effectsOf: (subject) =>
      effects.filter((effect) => effect.operation === schedule.operation && effect.subject === subject),
  };
}

export const wasKilled = (run: Run): boolean => run.exitCode === null;

/** It was stopped, another client ran to its end, and it was woken. */
export const wasStopped = ({ events }: Run): boolean => events.some(({ event }) => event === 'stop');

/** What it finds out may not be written down: the disk is full, or another client has taken its locks over. */
export const mayLoseRecord = ({ mishaps }: Run): boolean =>
  mishaps.fullAt > 0 || (mishaps.stop !== null && mishaps.system === 'other-host');

/** On a busy machine the deadline may pass before anything is sent, or before the response is read. */
export const hadNoTime = (
  { schedule }: Pick<Trace, 'schedule'>,
  { error, startedMs, endedMs }: Run,
): boolean =>
  (error?.code === 'timeout' || error?.outcome === 'unknown') && endedMs - startedMs >= schedule.timeoutMs;

/** A command about what was begun before. */
const settles = ({ typed }: Run): boolean => isAboutEarlier(typed);

/** `resume`, of all or of one. */
export const isResume = ({ typed }: Run): boolean => typed === 'resume' || typed === 'resume-newest';

const saysApplied = ({ error }: Run): boolean => error?.outcome === 'applied';

/** The user has said whether it is there. */
export const isSettledByUser = (run: Run): boolean => run.typed === 'mark' && run.exitCode === 0;

/** No answer, or one that leaves open whether the write was applied. */
export const isDoubtful = ({ view }: SeenRequest): boolean => view === null || view === 'doubtful';

/** The idempotency key in a request, or null. */
export function keyOf({ body }: Pick<SeenRequest, 'body'>): string | null {
  return /"idempotencyKey":"([^"]+)"/.exec(body)?.[1] ?? null;
}

/** Clocks that are so far apart make the same content another thing. */
const dayMs = 23 * 3_600_000;

/** Where the clock of a run stood, first and last. */
function clockOf({ mishaps: { offsetMs, jumpAt, jumpMs } }: Run): readonly [number, number] {
  const after = offsetMs + (jumpAt > 0 ? jumpMs : 0);
  return [Math.min(offsetMs, after), Math.max(offsetMs, after)];
}

/** An ask while it is put together. */
interface OpenAsk {
  readonly episodes: Episode[];
  readonly keys: Set<string>;
}

function asksAbout(trace: Trace & { readonly effects: readonly Effect[] }, subject: string): Ask[] {
  const { schedule, runs } = trace;
  const { again, class: operationClass } = operations[schedule.operation];
  const isUnreadable = ({ args }: Run) => args.some((word) => trace.records.get(word)?.requestLost === true);
  const isMade = schedule.key === 'made';
  const asks: OpenAsk[] = [];
  /** Whether the user knows the outcome of the last one, and so asks for another with the same command. */
  let isReported = false;
  /** Whether that is so because a client was killed, before or after it had reported: then the next key says which. */
  let mayBeReported = false;
  /** Whether the user has settled a record whose request was lost: storectl no longer knows what was asked for. */
  let isForgotten = false;
  let earliestMs = 0;
  for (const run of runs) {
    const isAbout = settles(run) ? asks.length > 0 : run.subjects.includes(subject);
    if (!isAbout) continue;
    const writes = run.requests.filter(
      ({ write }) => write?.operation === schedule.operation && write.subject === subject,
    );
    const [firstMs, lastMs] = clockOf(run);
    const isAnother: boolean =
      (again === 'another' && (isMade || operationClass === 'repeatable')) ||
      (again === 'continues' && isMade && (isReported || (mayBeReported && !continues(asks, writes)))) ||
      (again === 'refused' && (lastMs - earliestMs >= dayMs || isForgotten));
    const begins: boolean = asks.length === 0 || (!settles(run) && (run.typed === 'fresh' || isAnother));
    // With a key of its own, the command is about the same thing as ever, whatever `--new` did in between.
    const isKeyed = !isMade && run.typed !== 'fresh';
    if (begins) asks.push({ episodes: [], keys: new Set() });
    const current = isKeyed && !begins ? asks[0] : asks.at(-1);
    for (const [place, ask] of asks.entries()) {
      const own = settles(run) ? writes.filter((write) => isOfAsk(asks, place, keyOf(write))) : writes;
      if (ask !== current && !(settles(run) && operationClass === 'keyed')) continue;
      for (const key of own.map(keyOf)) if (key !== null) ask.keys.add(key);
      const reported = reportedBy(trace, run, subject, own, ask.keys);
      ask.episodes.push({ run, writes: own, reported });
    }
    if (begins) isReported = mayBeReported = false;
    isForgotten = begins ? false : isForgotten || (isSettledByUser(run) && isUnreadable(run));
    earliestMs = Math.min(earliestMs, firstMs);
    const reported = current?.episodes.at(-1)?.reported;
    // What was applied and could not be printed is reported as well. A client may be killed after it has printed.
    const hasReported =
      run.exitCode === 0 || saysApplied(run) || run.document !== null || run.tool !== 'command';
    if ((reported === 'applied' && hasReported) || isSettledByUser(run)) isReported = true;
    if (wasKilled(run) && !settles(run) && hasReported) mayBeReported = true;
  }
  return asks.map(({ episodes }) => ({ subject, episodes }));
}

/** Whether one of these has the key of the newest ask. */
function continues(asks: readonly OpenAsk[], writes: readonly SeenRequest[]): boolean {
  return writes.some((write) => asks.at(-1)?.keys.has(keyOf(write) ?? ''));
}

/** What `resume` sends belongs to the ask whose key it is; without one, to the last. */
function isOfAsk(asks: readonly OpenAsk[], place: number, key: string | null): boolean {
  // A client that ended before a request arrived has left a record whose key no request has shown.
  const isShown = key !== null && asks.some(({ keys }) => keys.has(key));
  return isShown ? asks[place]?.keys.has(key) === true : place === asks.length - 1;
}

function reportedBy(
  trace: Trace,
  run: Run,
  subject: string,
  writes: readonly SeenRequest[],
  keys: ReadonlySet<string>,
): Reported {
  // It may be killed after it has printed its report.
  if (isResume(run)) return reportedByResume(trace, run, subject, keys);
  if (settles(run)) return 'nothing';
  // It may be killed after it has printed its result.
  if (wasKilled(run) && (run.tool !== 'command' || run.document === null)) return 'nothing';
  if (run.subjects.length > 1) return reportedByBatch(run, subject);
  if (wasKilled(run)) return 'applied';
  switch (run.exitCode) {
    case 0:
    case 12:
      return 'applied';
    case 10:
      // What is in doubt may be the safety backup before it.
      return run.error?.outcome === 'not_sent' || (takesSafety(trace, run) && writes.length === 0)
        ? 'nothing'
        : 'unknown';
    case 4:
    case 5:
    case 7:
    case 8:
    case 9:
      return isReadOnly(trace, run, writes) ? 'not-sent' : 'not-applied';
    case 6:
      return run.error?.code === 'already_sent' ? 'not-sent' : 'not-applied';
    case 2:
    case 3:
    case 11:
    case 130:
      return 'not-sent';
    default:
      return 'nothing';
  }
}

/** The read before the write has failed, which says nothing about an earlier one. */
function isReadOnly({ schedule }: Trace, { error }: Run, writes: readonly SeenRequest[]): boolean {
  const { readsFirst } = operations[schedule.operation];
  return readsFirst && error?.outcome === 'not_sent' && writes.length === 0;
}

/** The library restores what it is asked to; `--no-safety-backup` does, too. */
export function takesSafety({ schedule }: Pick<Trace, 'schedule'>, { tool, typed }: Run): boolean {
  if (schedule.operation !== 'backup.restore' || tool === 'library') return false;
  return tool === 'mcp' || isResume({ typed } as Run) || typed === 'undo' || schedule.safetyBackup;
}

const reportedByState: Readonly<Record<string, Reported>> = {
  applied: 'applied',
  rejected: 'not-applied',
  not_sent: 'not-applied',
  unknown: 'unknown',
  sent: 'unknown',
};

/** Only where the report can be about nothing else. */
function reportedByResume(trace: Trace, run: Run, subject: string, keys: ReadonlySet<string>): Reported {
  const { schedule, runs, history } = trace;
  const unprinted = history?.find(({ id }) => saysApplied(run) && id === run.error?.operationId);
  const printed = (Array.isArray(run.document) ? run.document : [run.document ?? {}]) as readonly Json[];
  const reports: readonly Json[] = unprinted === undefined ? printed : [{ ...unprinted }];
  const own = reports.filter(
    ({ operation, action }) => operation === schedule.operation && action !== 'superseded',
  );
  if (operations[schedule.operation].class === 'keyed') {
    const [found, ...others] = own.filter(({ id }) => {
      const record = trace.records.get(String(id));
      const request = `${record?.path} ${record?.body}`;
      const isIts = request.includes(subject) || request.includes(uuidOf(subject));
      return isIts && keys.has(record?.idempotencyKey ?? '');
    });
    return others.length === 0 ? (reportedByState[String(found?.state)] ?? 'nothing') : 'nothing';
  }
  const isSame = own.length === 1 || (own.length > 1 && own.every(({ state }) => state === 'applied'));
  const isClear = isSame && runs.every(({ subjects }) => subjects.length < 2 && isMain(subjects));
  return isClear ? (reportedByState[String(own[0]?.state)] ?? 'nothing') : 'nothing';

  function isMain(subjects: readonly string[]): boolean {
    return subjects.every((subject) => subject === schedule.subjects[0]);
  }
}

const reportedByItem: Readonly<Record<string, Reported>> = {
  exists: 'applied',
  applied: 'applied',
  failed: 'not-applied',
  not_sent: 'not-sent',
  unknown: 'unknown',
};

function reportedByBatch(run: Run, subject: string): Reported {
  const { document } = run;
  const items = Array.isArray(document) ? document : ((document as Json | null)?.results ?? []);
  const item = (items as Json[]).find(
    ({ file, disputeId }) => file === `${subject}.md` || disputeId === uuidOf(subject),
  );
  return reportedByItem[String(item?.outcome)] ?? 'nothing';
}
