import { operations } from '../operations.ts';
import type { Run } from '../play.ts';
import type { ProgramPromise } from './promise.ts';
import { hadNoTime, isResume, keyOf, type Story, wasKilled } from './story.ts';

/** Promises about idempotency keys, and about what belongs to whom. */
export const keyPromises: readonly ProgramPromise[] = [
  {
    id: 'key-is-new',
    text: 'a backup or restore that is asked for again has a key of its own, and so has every safety backup',
    check: (story) => {
      const { schedule, runs } = story;
      if (!['backup.create', 'backup.restore'].includes(schedule.operation)) return null;
      const used = new Set<string>();
      return runs.flatMap((run) => {
        const restores = run.requests.some(({ write }) => write?.operation === 'backup.restore');
        const keys = new Set(
          run.requests.flatMap((request) => {
            // `resume` may settle a safety backup whose restore was never begun.
            const isSafety = request.write?.operation !== schedule.operation && (restores || !isResume(run));
            const isNew = isSafety || (schedule.key === 'made' && !isResume(run));
            return isNew && request.write !== null ? (keyOf(request) ?? []) : [];
          }),
        );
        const again = [...keys].filter((key) => used.has(key));
        for (const request of run.requests) used.add(keyOf(request) ?? '');
        return again.map((key) => `${run.typed} sent ${key} of an earlier command`);
      });
    },
  },
  {
    id: 'made-anew',
    text: 'a backup or restore that is asked for again is made anew: no earlier one is reported in its place',
    check: ({ schedule, runs, effects }) => {
      const { operation, key } = schedule;
      if (!['backup.create', 'backup.restore'].includes(operation) || key !== 'made') return null;
      const done = runs.filter(({ typed, exitCode }) => typed === 'same' && exitCode === 0);
      if (done.length === 0) return null;
      const isMade = ({ requests }: Run) =>
        effects.some(
          (effect) =>
            effect.operation === operation && requests.some(({ number }) => number === effect.request),
        );
      return done.filter((run) => !isMade(run)).map(({ stderr }) => `exit 0: ${stderr.slice(-200)}`);
    },
  },
  {
    id: 'other-base-url',
    text: 'a service at another path of the same host has a history of its own',
    check: checkElsewhere,
  },
];

function checkElsewhere(story: Story) {
  const { schedule, requests, elsewhere, effectsAt, class: operationClass } = story;
  if (elsewhere.length === 0 || operationClass === 'read') return null;
  const keys = new Set(requests.map(keyOf));
  const { again } = operations[schedule.operation];
  let sentRuns = 0;
  return elsewhere.flatMap((run) => {
    const writes = run.requests.filter(({ write }) => write !== null);
    if (wasKilled(run) || hadNoTime(story, run)) return [];
    if (isResume(run)) {
      return run.exitCode === 0 && writes.length === 0
        ? []
        : [`resume: exit ${run.exitCode}, ${writes.length} writes`];
    }
    sentRuns += 1;
    const isSecond = sentRuns > 1 && again === 'refused';
    const shared = schedule.key === 'made' && writes.some((request) => keys.has(keyOf(request) ?? ''));
    const applied = effectsAt.other.filter(({ operation }) => operation === schedule.operation).length;
    return [
      ...(run.exitCode === 0 || isSecond
        ? []
        : [`${run.typed}: exit ${run.exitCode}: ${run.stderr.slice(-200)}`]),
      ...(applied === 0 ? ['nothing was applied there'] : []),
      ...(shared ? ['a key was used at both'] : []),
    ];
  });
}
