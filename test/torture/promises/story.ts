import { type Json, type OperationClass, operations, uuidOf } from '../operations.ts';
import type { Run, Trace } from '../play.ts';
import type { Effect } from '../service/model.ts';
import type { SeenRequest } from '../service/model-server.ts';

/**
 * What a client said about one subject when it ended:
 * - `applied`, `not-applied`, `unknown`: about the change, whichever client sent it.
 * - `not-sent`: only that this client sent nothing.
 * - `nothing`: it was killed, or spoke of something else.
 */
type Told = 'applied' | 'not-applied' | 'unknown' | 'not-sent' | 'nothing';

/** What one client did about one subject. */
export interface Episode {
  readonly run: Run;
  readonly told: Told;
  /** Writes of the subject that this client sent. */
  readonly writes: readonly SeenRequest[];
}

/** One thing that the user asked for once, over all commands that are about it. */
export interface Ask {
  readonly subject: string;
  readonly episodes: readonly Episode[];
}

/** A trace in the order in which the user lived through it, up to `history repair`, which forgets. */
export interface Story extends Trace {
  readonly class: OperationClass;
  readonly isBatch: boolean;
  readonly asks: readonly Ask[];
  /** The first `history repair` and what came after it. */
  readonly afterRepair: readonly Run[];
  /** Things applied, of the operation that the schedule is about. */
  effectsOf(subject: string): readonly Effect[];
}

export function tellStory(trace: Trace): Story {
  const { schedule } = trace;
  const end = trace.runs.findIndex(({ typed }) => typed === 'repair');
  // Of two at once, the first to end is the one whose outcome the other may know.
  const runs = trace.runs.slice(0, end === -1 ? undefined : end).sort((a, b) => a.endedMs - b.endedMs);
  const lastMs = end === -1 ? Number.POSITIVE_INFINITY : (trace.runs[end]?.startedMs ?? 0);
  const requests = trace.requests.filter(({ at }) => at < lastMs);
  const known = new Set(requests.map(({ number }) => number));
  const effects = trace.effects.filter(({ request }) => known.has(request));
  const told = { ...trace, runs, requests, effects };
  const subjects = [...schedule.subjects, schedule.otherSubject];
  return {
    ...told,
    class: operations[schedule.operation].class,
    isBatch: schedule.subjects.length > 1,
    afterRepair: end === -1 ? [] : trace.runs.slice(end),
    asks: subjects.flatMap((subject) => asksAbout(told, subject)),
    effectsOf: (subject) =>
      effects.filter((effect) => effect.operation === schedule.operation && effect.subject === subject),
  };
}

export const wasKilled = (run: Run): boolean => run.exitCode === null;

/** A command about what was begun before. */
const settles = ({ typed }: Run): boolean => typed === 'resume' || typed === 'mark';

/** The user has said whether it is there. */
export const isSettledByUser = (run: Run): boolean => run.typed === 'mark' && run.exitCode === 0;

/** No answer, or one that leaves open whether the write was applied. */
export const isDoubtful = ({ view }: SeenRequest): boolean => view === null || view === 'doubtful';

function asksAbout(trace: Trace, subject: string): Ask[] {
  const { schedule, runs } = trace;
  const { class: operationClass } = operations[schedule.operation];
  const asks: Episode[][] = [];
  /** Whether the user knows what became of the last one, and so asks for another with the same command. */
  let isTold = false;
  for (const run of runs) {
    const isAbout = settles(run) ? asks.length > 0 : run.subjects.includes(subject);
    if (!isAbout) continue;
    const writes = run.requests.filter(
      ({ write }) => write?.operation === schedule.operation && write.subject === subject,
    );
    const episode = { run, writes, told: toldBy(trace, run, subject, writes) };
    const isAnother =
      operationClass === 'repeatable' || (operationClass === 'keyed' && schedule.key === 'made' && isTold);
    const begins = !settles(run) && (run.typed === 'fresh' || isAnother);
    // With a key of its own, the command is about the same thing as ever, whatever `--new` did in between.
    const isKeyed = schedule.key !== 'made' && run.typed !== 'fresh';
    const current = isKeyed ? asks[0] : asks.at(-1);
    if (current === undefined || begins) asks.push([episode]);
    else current.push(episode);
    if (begins) isTold = false;
    // What was applied and could not be printed is not told. A client may be killed after it has printed.
    const isPrinted = run.exitCode === 0 || run.document !== null;
    const isApplied = episode.told === 'applied' || (wasKilled(run) && !settles(run));
    if ((isApplied && isPrinted) || isSettledByUser(run)) isTold = true;
  }
  return asks.map((episodes) => ({ subject, episodes }));
}

function toldBy(trace: Trace, run: Run, subject: string, writes: readonly SeenRequest[]): Told {
  if (run.typed === 'mark') return 'nothing';
  // It may be killed after it has printed its report.
  if (run.typed === 'resume') return toldByResume(trace, run);
  if (wasKilled(run)) return 'nothing';
  if (run.subjects.length > 1) return toldByBatch(run, subject);
  switch (run.exitCode) {
    case 0:
    case 12:
      return 'applied';
    case 10:
      // What is in doubt may be the safety backup before it.
      return run.error?.outcome === 'not_sent' || isSafetyBackupOnly(trace, writes) ? 'nothing' : 'unknown';
    case 4:
    case 5:
    case 7:
    case 8:
    case 9:
      return 'not-applied';
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

function isSafetyBackupOnly({ schedule }: Trace, writes: readonly SeenRequest[]): boolean {
  return schedule.operation === 'backup.restore' && schedule.safetyBackup && writes.length === 0;
}

const toldByState: Readonly<Record<string, Told>> = {
  applied: 'applied',
  rejected: 'not-applied',
  not_sent: 'not-applied',
  unknown: 'unknown',
  sent: 'unknown',
};

/** Only where the report can be about nothing else. */
function toldByResume({ schedule, runs, history }: Trace, run: Run): Told {
  const unprinted = history?.find(({ id }) => run.exitCode === 12 && id === run.error?.operationId);
  const printed = Array.isArray(run.document) ? (run.document as Json[]) : [];
  const reports: readonly Json[] = unprinted === undefined ? printed : [{ ...unprinted }];
  const own = reports.filter(({ operation }) => operation === schedule.operation);
  const isSame = own.length === 1 || (own.length > 1 && own.every(({ state }) => state === 'applied'));
  const isClear = isSame && runs.every(({ subjects }) => subjects.length < 2 && isMain(subjects));
  return isClear ? (toldByState[String(own[0]?.state)] ?? 'nothing') : 'nothing';

  function isMain(subjects: readonly string[]): boolean {
    return subjects.every((subject) => subject === schedule.subjects[0]);
  }
}

const toldByItem: Readonly<Record<string, Told>> = {
  created: 'applied',
  exists: 'applied',
  applied: 'applied',
  unchanged: 'applied',
  recorded: 'applied',
  failed: 'not-applied',
  rejected: 'not-applied',
  conflict: 'not-applied',
  not_found: 'not-applied',
  not_sent: 'not-applied',
  unknown: 'unknown',
};

function toldByBatch(run: Run, subject: string): Told {
  const { document } = run;
  const items = Array.isArray(document) ? document : ((document as Json | null)?.results ?? []);
  const item = (items as Json[]).find(
    ({ file, disputeId }) => file === `${subject}.md` || disputeId === uuidOf(subject),
  );
  return toldByItem[String(item?.outcome)] ?? 'nothing';
}
