import type { HistoryLine, Run } from '../play.ts';
import type { Effect } from '../service/model.ts';
import type { SeenRequest } from '../service/model-server.ts';
import type { ProgramPromise } from './promise.ts';
import {
  type Ask,
  type Episode,
  hadNoTime,
  isDoubtful,
  isResume,
  isSettledByUser,
  mayLoseRecord,
  type Story,
  wasKilled,
} from './story.ts';

/** The library's promise may have been resolved before the process was killed: its caller knows it then. */
const mayHaveResolved = ({ run, writes }: Episode): boolean =>
  run.tool === 'library' && wasKilled(run) && writes.some(({ view }) => view === 'success');

/** Promises about what was applied and what was reported about it. */
export const truthPromises: readonly ProgramPromise[] = [
  {
    id: 'applied-once',
    text: 'a write is applied as often as the user asked for it, and no more',
    check: (story) => {
      if (story.class === 'read' || story.class === 'repeatable') return null;
      const subjects = new Set(story.asks.map(({ subject }) => subject));
      return [...subjects].flatMap((subject) => {
        const asked = story.asks.filter((ask) => ask.subject === subject).length;
        const applied = story.effectsOf(subject).length;
        return applied > asked ? [`${subject}: applied ${applied} times, asked for ${asked}`] : [];
      });
    },
  },
  {
    id: 'applied-means-applied',
    text: 'what is reported as applied was applied',
    check: (story) =>
      overEpisodes(story, ({ reported }, { subject }) =>
        reported !== 'applied'
          ? null
          : story.effectsOf(subject).length > 0
            ? []
            : [`${subject}: reported, and never applied`],
      ),
  },
  {
    id: 'not-applied-means-not-applied',
    text: 'what is reported as rejected or not sent was not applied',
    check: (story) =>
      overEpisodes(story, (episode, ask) => {
        const { reported, writes } = episode;
        if (reported !== 'not-applied' && reported !== 'not-sent') return null;
        // What was acknowledged before stays so; the words are about this command alone then.
        const before = ask.episodes.slice(0, ask.episodes.indexOf(episode));
        const isKnown = before.some(
          (other) => other.reported === 'applied' || isSettledByUser(other.run) || mayHaveResolved(other),
        );
        if (isKnown) return appliedBy(story, writes);
        if (reported === 'not-applied') return appliedBy(story, writesUntil(ask, episode));
        return appliedBy(story, writes);
      }),
  },
  {
    id: 'undisturbed-succeeds',
    text: 'where nothing goes wrong, the command is done: exit 0',
    check: (story) => {
      const { schedule, runs, effects, class: operationClass } = story;
      const [step] = schedule.steps;
      const [run] = runs;
      if (step?.do !== 'run' || run === undefined || step.kill !== null || step.listening !== 'always')
        return null;
      const { killAt, fullAt, jumpAt, stdoutFull, outputFull } = step.mishaps;
      const isDisturbed = killAt + fullAt + jumpAt > 0 || stdoutFull || outputFull;
      if (
        isDisturbed ||
        hadNoTime(story, run) ||
        schedule.writeFaults.length + schedule.readFaults.length > 0
      )
        return null;
      const isThere = operationClass === 'read' || effects.length > 0;
      return run.exitCode === 0 && isThere ? [] : [`exit ${run.exitCode}: ${run.stderr.slice(-300)}`];
    },
  },
  {
    id: 'doubt-ends-by-proof',
    text: 'once an attempt may have been applied, no refusal ends the doubt',
    check: (story) => {
      if (story.class === 'read') return null;
      const doubts = story.asks.flatMap((ask) => {
        let inDoubt = false;
        return ask.episodes.flatMap((episode) => {
          inDoubt = doubtAfter(episode, inDoubt);
          if (!inDoubt || wasKilled(episode.run)) return [];
          const isClaim = episode.reported === 'not-applied' && !showsOtherDecision(story);
          return [isClaim ? `${describe(episode)}: reported as not applied, while in doubt` : null];
        });
      });
      return doubts.length === 0 ? null : doubts.filter((doubt) => doubt !== null);
    },
  },
  {
    id: 'no-false-doubt',
    text: 'the outcome is unknown only where an attempt may have been applied',
    check: (story) =>
      overEpisodes(story, (episode, { subject }) => {
        const { run, reported } = episode;
        if (reported !== 'unknown') return null;
        const isBefore = ({ at, write }: SeenRequest) => at < run.endedMs && write?.subject === subject;
        // A client that is killed, or cannot write, leaves a record that may have been sent.
        const sent = run.events.filter((event) => event.event === 'send' && event.recorded !== undefined);
        const isPossible =
          // What was lost with the file may have been a refusal.
          story.wasDamaged ||
          story.hadPowerCut ||
          // On a busy machine a request may reach the server after its client has given up.
          sent.length > run.requests.filter(({ write }) => write !== null).length ||
          story.runs.some(({ requests }) =>
            requests.some((request) => isBefore(request) && isDoubtful(request)),
          ) ||
          story.runs.some(
            (other) => other.startedMs <= run.endedMs && (wasKilled(other) || mayLoseRecord(other)),
          );
        return isPossible ? [] : [`${describe(episode)}: unknown, and every attempt was refused`];
      }),
  },
  {
    id: 'whole-answer-counts',
    text: 'a whole success, after informational answers too, is exit 0',
    check: (story) => {
      if (story.isBatch) return null;
      return overEpisodes(story, (episode) => {
        const { run, writes } = episode;
        const last = writes.at(-1);
        if (wasKilled(run) || isResume(run) || last?.view !== 'success') return null;
        if (run.mishaps.stdoutFull || run.mishaps.outputFull || mayLoseRecord(run)) return null;
        return run.exitCode === 0 ? [] : [`${describe(episode)}: exit ${run.exitCode} after a whole success`];
      });
    },
  },
  {
    id: 'unreported-is-reported',
    text: 'an applied write that was never printed is what the same command reports next',
    check: (story) => {
      const { operation } = story.schedule;
      if (operation !== 'disputes.open') return null;
      // A command after `--new` may be about either.
      if (story.runs.some(({ typed }) => typed === 'fresh')) return null;
      return overEpisodes(story, (episode, ask) => {
        const { run, reported } = episode;
        const before = writesUntil(ask, ask.episodes[ask.episodes.indexOf(episode) - 1]);
        const earlier = story.effects.filter(({ request }) =>
          before.some(({ number }) => number === request),
        );
        if (reported !== 'applied' || isResume(run) || run.exitCode !== 0 || earlier.length === 0)
          return null;
        // The user knows it from a look at the store, and no answer came that could be reported.
        if (ask.episodes.some((other) => isSettledByUser(other.run))) return null;
        const id = (run.document as { id?: unknown } | null)?.id;
        return earlier.some((effect) => effect.id === id)
          ? []
          : [`${describe(episode)}: reports ${String(id)}`];
      });
    },
  },
  {
    id: 'refusal-is-final',
    text: '`resume` sends nothing that was reported as rejected or not sent',
    check: (story) =>
      overEpisodes(story, (episode, ask) => {
        const before = ask.episodes[ask.episodes.indexOf(episode) - 1];
        if (!isResume(episode.run) || before?.reported !== 'not-applied') return null;
        // After `--new`, it may be the other one that it sends.
        if (story.runs.some(({ typed }) => typed === 'fresh')) return null;
        // A refusal that a full disk kept from being written down stays open, and so does what `resume` did not send.
        const staysOpen = (run: Run) => mayLoseRecord(run) && (isResume(run) || run.exitCode !== 11);
        if (ask.episodes.some(({ run }) => staysOpen(run)) || story.wasDamaged) return null;
        // It may be an earlier command with the same values that `resume` goes on with.
        if (ask !== story.asks.find(({ subject }) => subject === ask.subject)) return null;
        return episode.writes.length === 0 ? [] : [`${describe(episode)}: sent what was refused before`];
      }),
  },
  {
    id: 'acknowledged-is-kept',
    text: 'an acknowledged write is not overwritten by `resume` of an older one',
    check: (story) => {
      // Of what is marked read, nothing is put over anything.
      if (story.class !== 'repeatable' || story.schedule.operation === 'notify.mark-read') return null;
      const resumed = story.runs.filter(isResume);
      if (resumed.length === 0) return null;
      return resumed.flatMap((run) => {
        const before = story.runs.filter(({ endedMs }) => endedMs <= run.startedMs);
        const acknowledges = ({ exitCode, requests }: Run, other: string) =>
          exitCode === 0 && requests.some(({ write }) => write !== null && write.subject !== other);
        // An undo sets the values from before, as responses showed them.
        const sets = ({ subjects, typed, requests }: Run, subject: string) =>
          typed === 'undo'
            ? subject === 'before' || requests.some(({ write }) => write?.subject === subject)
            : subjects.includes(subject);
        const isOlder = ({ write }: SeenRequest) =>
          write !== null &&
          before.findLastIndex((earlier) => sets(earlier, write.subject)) <
            before.findLastIndex((earlier) => acknowledges(earlier, write.subject));
        const older = run.requests.filter(isOlder);
        return older.length === 0 ? [] : [`resume sent ${older[0]?.write?.subject} over what came later`];
      });
    },
  },
  {
    id: 'others-are-kept',
    text: '`settings save` overwrites no change that another user made before its last read',
    check: ({ schedule, effects, runs, settings: { otherChange, found } }) => {
      if (schedule.operation !== 'settings.save' || otherChange === null) return null;
      const { summary, at, applied } = otherChange;
      /** When its client had last read the settings before the first of its attempts, one of which came late perhaps. */
      const readAt = ({ request }: Effect) => {
        const own = runs.find(({ requests }) => requests.some(({ number }) => number === request))?.requests;
        const first = own?.findIndex(({ write }) => write !== null) ?? -1;
        return own?.[first - 1]?.answeredAt ?? Number.POSITIVE_INFINITY;
      };
      if (effects.slice(applied).some((effect) => readAt(effect) < at)) return null;
      return found === summary ? [] : [`found ${String(found)} in place of ${summary}`];
    },
  },
  {
    id: 'history-agrees',
    text: 'no record of the history contradicts what was applied',
    check: checkHistory,
  },
];

/** Verdicts of all episodes; null where none has one. */
function overEpisodes(
  story: Story,
  check: (episode: Episode, ask: Ask) => readonly string[] | null,
): readonly string[] | null {
  if (story.class === 'read') return null;
  const verdicts = story.asks.flatMap((ask) => ask.episodes.map((episode) => check(episode, ask)));
  const given = verdicts.filter((verdict) => verdict !== null);
  return given.length === 0 ? null : given.flat();
}

/** All writes of the ask that were sent before or by this episode. */
function writesUntil(ask: Ask, episode: Episode | undefined): readonly SeenRequest[] {
  if (episode === undefined) return [];
  return ask.episodes.slice(0, ask.episodes.indexOf(episode) + 1).flatMap(({ writes }) => writes);
}

function appliedBy({ effects }: Story, writes: readonly SeenRequest[]): string[] {
  return writes
    .filter(({ number }) => effects.some(({ request }) => request === number))
    .map(
      ({ number, write }) => `${write?.subject}: reported as not applied, and request ${number} was applied`,
    );
}

/** Whether a client that sees what this one saw may doubt. After a kill, only what never got an answer is certain. */
function doubtAfter({ run, writes, reported }: Episode, before: boolean): boolean {
  // A client that says so has seen it, if not in an answer then by reading.
  if (isSettledByUser(run) || reported === 'applied') return false;
  return writes.reduce((inDoubt, write) => {
    if (isDoubtful(write)) return true;
    if (write.isKept) return false;
    return write.view === 'success' || wasKilled(run) ? false : inDoubt;
  }, before);
}

/** A read shows that another user has decided the dispute otherwise: that is a proof. */
function showsOtherDecision({ schedule, requests }: Story): boolean {
  return schedule.operation === 'disputes.decide' && requests.some(({ fault }) => fault.otherUser);
}

function describe({ run, writes }: Episode): string {
  const requests = writes.map(({ number, view }) => `${number} ${view ?? 'no answer'}`).join(', ');
  return `${run.typed} (exit ${run.exitCode}; ${requests || 'no writes'})`;
}

function checkHistory(story: Story): readonly string[] | null {
  const { history, effects, schedule } = story;
  if (history === null || story.wasDamaged || story.class === 'read') return null;
  const lines = history.filter(({ operation }) => operation === schedule.operation);
  const own = effects.filter(({ operation }) => operation === schedule.operation);
  const isPossible = ({ state }: HistoryLine) => ['sent', 'unknown', 'applied'].includes(state);
  if (story.class === 'keyed') {
    const applied = new Set(own.map(({ idempotencyKey }) => idempotencyKey));
    const invented = lines.filter((line) => line.state === 'applied' && !applied.has(line.idempotencyKey));
    const lost = own.filter(
      ({ idempotencyKey: key }) => !lines.some((line) => line.idempotencyKey === key && isPossible(line)),
    );
    return [
      ...invented.map(({ id }) => `${id} is applied in the history only`),
      ...lost.map(({ request }) => `request ${request} was applied, and the history says that it was not`),
    ];
  }
  const applied = lines.filter(({ state }) => state === 'applied').length;
  const possible = lines.filter(isPossible).length;
  if (story.class === 'repeatable') {
    return own.length > 0 && possible === 0 ? ['applied, and the history says it never was'] : [];
  }
  // A decision that was made before is what the record asked for, too.
  const isShown = schedule.operation === 'disputes.decide' && own.length > 0;
  if (applied > own.length && !isShown)
    return [`${applied} are applied in the history, ${own.length} in truth`];
  return own.length > possible
    ? [`${own.length} were applied, the history knows of ${possible} at most`]
    : [];
}
