import type { Json } from '../operations.ts';
import type { Run } from '../play.ts';
import { noFault } from '../service/faults.ts';
import { otherValue } from '../service/model.ts';
import type { SeenRequest } from '../service/model-server.ts';
import type { ProgramPromise } from './promise.ts';
import { isResume, mayLoseRecord, type Story, takesSafety, wasKilled } from './story.ts';

/** Promises about exit codes and what is printed. */
export const outputPromises: readonly ProgramPromise[] = [
  {
    id: 'output-failure-is-12',
    text: 'applied, and the output fails: exit 12 and "outcome":"applied"',
    check: (story) =>
      overRuns(story, (run) => {
        if (!(run.mishaps.stdoutFull || run.mishaps.outputFull) || isResume(run) || wasKilled(run))
          return null;
        const own = run.requests.filter(({ write }) => write?.operation === story.schedule.operation);
        if (!own.some(({ view }) => view === 'success')) return null;
        // The history could not be written either: exit 11, which says how much was applied.
        const isHistoryFull = run.mishaps.fullAt > 0 && run.exitCode === 11;
        if (story.isBatch && !isHistoryFull)
          return run.exitCode === 0 || run.exitCode === 11 ? [`a batch: exit ${run.exitCode}`] : [];
        if (own.at(-1)?.view !== 'success' || mayLoseRecord(run)) return null;
        const isTrue = run.exitCode === 12 && run.error?.outcome === 'applied';
        return isTrue ? [] : [`exit ${run.exitCode}, outcome ${String(run.error?.outcome)}`];
      }),
  },
  {
    id: 'other-values-are-listed',
    text: 'an answer with other values than were sent is exit 0, and stderr lists them',
    check: (story) =>
      story.isBatch
        ? null
        : overRuns(story, (run) => {
            const last = run.requests
              .filter(({ write }) => write?.operation === story.schedule.operation)
              .at(-1);
            const ending = last?.fault.ending;
            if (wasKilled(run) || run.exitCode !== 0 || isResume(run)) return null;
            if (ending?.does !== 'contradict' || ending.what !== 'values') return null;
            // An assistant gets the response itself.
            return (run.tool === 'command' ? run.stderr : run.stdout).includes(otherValue)
              ? []
              : [`${story.schedule.operation}: not a word on stderr`];
          }),
  },
  {
    id: 'warned-once',
    text: 'what differs from the contract is said once',
    check: (story) => {
      const isOdd = ({ fault: { ending } }: SeenRequest) =>
        ending.does === 'contradict' && ending.what === 'types';
      const affected = story.runs.filter(({ requests }) => requests.some(isOdd));
      if (affected.length === 0) return null;
      return affected.flatMap(({ stderr }) => {
        const lines = stderr.split('\n').filter((line) => line.startsWith('unexpected response'));
        return lines.length === new Set(lines).size ? [] : [`said ${lines.length} times: ${lines[0]}`];
      });
    },
  },
  {
    id: 'throttled-is-8',
    text: 'asked to wait past the deadline: exit 8 where every answer was a 425 or 429, 10 where there is a doubt',
    check: (story) =>
      story.isBatch
        ? null
        : overRuns(story, (run) => {
            const own = run.requests.filter(({ write }) => write?.operation === story.schedule.operation);
            const isLong = run.events.some(
              ({ event, ...more }) => event === 'wait' && 'waitMs' in more && more.waitMs > 30_000,
            );
            if (
              wasKilled(run) ||
              run.typed !== 'same' ||
              own.length === 0 ||
              !isLong ||
              run.mishaps.fullAt > 0
            )
              return null;
            const ask = story.asks.find(({ episodes }) => episodes.some((episode) => episode.run === run));
            const isFirst = ask?.episodes[0]?.run === run;
            // An outcome that could not be recorded leaves a doubt.
            const mayDoubt = story.runs.some(
              (other) => other.startedMs < run.startedMs && mayLoseRecord(other),
            );
            if (!isFirst || mayDoubt || own.some(({ view }) => view !== 'throttled')) return null;
            return run.exitCode === 8 ? [] : [`exit ${run.exitCode} after nothing but 425 and 429`];
          }),
  },
  {
    id: 'unknown-names-its-record',
    text: 'exit 10 names a record that is there',
    check: (story) => {
      if (story.isBatch || story.history === null || story.wasDamaged) return null;
      const ids = new Set(story.history.map(({ id }) => id));
      return overRuns(story, (run) => {
        if (run.exitCode !== 10 || run.error === null || isResume(run)) return null;
        return ids.has(String(run.error.operationId)) ? [] : [`names ${String(run.error.operationId)}`];
      });
    },
  },
  {
    id: 'outcome-fits-exit-code',
    text: 'the outcome in the JSON error and the exit code say the same',
    check: (story) =>
      overRuns(story, (run) => {
        if (run.error === null || wasKilled(run) || story.isBatch || isResume(run)) return null;
        const { outcome } = run.error;
        const fits =
          outcome === 'applied'
            ? run.exitCode === 12
            : outcome === 'unknown'
              ? run.exitCode === 10
              : run.exitCode !== 12 && (run.exitCode !== 10 || story.schedule.operation === 'backup.restore');
        return fits ? [] : [`exit ${run.exitCode}, outcome ${String(outcome)}`];
      }),
  },
  {
    id: 'both-truths',
    text: 'a restore that ends after its safety backup names the backup',
    check: (story) => {
      if (story.schedule.operation !== 'backup.restore') return null;
      return overRuns(story, (run) => {
        if (!takesSafety(story, run) || wasKilled(run) || run.exitCode === 0 || isResume(run)) return null;
        const safety = run.requests.find(
          ({ write, view }) => write?.operation === 'backup.create' && view === 'success',
        );
        const effect = story.effects.find(({ request }) => request === safety?.number);
        if (safety === undefined || effect?.id == null) return null;
        // What was applied names its record, and that names the backup.
        const line = story.history?.find(({ id }) => id === run.error?.operationId);
        // A repaired restore that is continued names another backup in the end.
        const isNamed = run.exitCode === 12 && (story.wasDamaged || line?.safetyBackupId === effect.id);
        return isNamed || run.stderr.includes(effect.id)
          ? []
          : [`exit ${run.exitCode} without a word of the safety backup`];
      });
    },
  },
  {
    id: 'lists-are-the-service',
    text: 'a list that a script gets is what the service has: exit 0, or 7 where it cannot be asked, never what this machine remembers',
    check: (story) => {
      const lists = story.runs.filter((run) => run.typed === 'list' && !wasKilled(run));
      if (lists.length === 0) return null;
      return lists.flatMap(({ exitCode, document, requests, error }) => {
        const listed = requests.findLast((request) => request.listed !== null && request.view === 'success');
        if (exitCode !== 0) {
          const hasLists =
            story.schedule.service !== 'plain' && requests.every(({ fault }) => fault === noFault);
          return exitCode === 7 && hasLists ? [`exit 7 (${String(error?.code)})`] : [];
        }
        const ids = Array.isArray(document) ? document.map(({ id }: Json) => String(id)) : [];
        if (listed === undefined) return [`exit 0 with ${ids.length}, and the service did not say so`];
        const isSame = ids.length === listed.listed?.length && ids.every((id) => listed.listed?.includes(id));
        return isSame ? [] : [`printed ${ids.length} of ${listed.listed?.length}`];
      });
    },
  },
  {
    id: 'reads-are-harmless',
    text: 'a read ends with its answer or an error, never with an unknown outcome',
    check: (story) => {
      if (story.class !== 'read') return null;
      return story.runs.flatMap((run) => {
        if (wasKilled(run)) return [];
        const isAnswered = run.requests.some(({ view }) => view === 'success');
        if (run.exitCode === 0)
          return isAnswered && run.document !== null ? [] : ['exit 0 without an answer'];
        return run.exitCode === 10 || run.exitCode === 12 ? [`exit ${run.exitCode}`] : [];
      });
    },
  },
  {
    id: 'never-hangs',
    text: 'a command ends by its deadline, whatever the clock does',
    check: (story) => story.runs.filter(({ hung }) => hung).map(({ args }) => `storectl ${args.join(' ')}`),
  },
  {
    id: 'no-crash',
    text: 'no fault is a bug in storectl',
    check: (story) =>
      story.runs
        .filter(({ exitCode, stderr }) => exitCode === 1 || stderr.includes('a bug in storectl'))
        .map(({ typed, stderr }) => `${typed}: ${stderr.slice(0, 300)}`),
  },
];

function overRuns(story: Story, check: (run: Run) => readonly string[] | null): readonly string[] | null {
  if (story.class === 'read') return null;
  const given = story.runs.map(check).filter((verdict) => verdict !== null);
  return given.length === 0 ? null : given.flat();
}
