import type { Run } from '../play.ts';
import type { Effect } from '../service/model.ts';
import type { ProgramPromise } from './promise.ts';
import { isResume, type Story, takesSafety, wasKilled } from './story.ts';

/** Promises about restores and about undoing. */
export const restorePromises: readonly ProgramPromise[] = [
  {
    id: 'safety-backup-of-its-own',
    text: 'a restore is sent only after a safety backup that the same command took',
    check: (story) =>
      overRestores(story, (run, safety, first) =>
        takesSafety(story, run) && (safety === undefined || safety.request > first)
          ? [`${run.typed}: restored without a safety backup of its own`]
          : [],
      ),
  },
  {
    id: 'restore-can-be-undone',
    text: 'the safety backup holds what the restore replaces',
    check: (story) =>
      overRestores(story, (run, safety, first, restored) => {
        if (!takesSafety(story, run) || safety === undefined || restored === undefined) return [];
        // Another client may come between the two, or another user before the service applies it.
        const sent = story.requests.find(({ number }) => number === restored.request);
        if (run.inPair || restored.request < first || sent?.fault.applies === 'later') return [];
        const isBetween = story.effects.some(
          ({ request, operation }) =>
            request > safety.request && request < restored.request && operation !== 'backup.create',
        );
        return isBetween || safety.storeVersion === restored.storeVersion
          ? []
          : [`${run.typed}: the safety backup is of another state`];
      }),
  },
  {
    id: 'restore-needs-a-yes',
    text: '`resume` of all sends no restore, and none over a later change of this machine',
    check: (story) => {
      if (story.schedule.operation !== 'backup.restore') return null;
      const resumed = story.runs.filter(isResume);
      if (resumed.length === 0) return null;
      return resumed.flatMap((run) => {
        const restores = run.requests.filter(({ write }) => write?.operation === 'backup.restore');
        if (restores.length === 0) return [];
        // The library has no way to ask.
        if (run.typed === 'resume') return [`resume: ${restores.length} restores sent`];
        const begun = Math.min(...story.requests.filter(isSame(restores[0])).map(({ at }) => at));
        const isOver = story.runs.some(
          ({ typed, exitCode, startedMs, endedMs }) =>
            typed === 'store-update' && exitCode === 0 && startedMs > begun && endedMs < run.startedMs,
        );
        return isOver ? ['resume: restored over a later update of the store'] : [];
      });
    },
  },
  {
    id: 'undo-puts-back',
    text: '`undo` of a restore restores the safety backup that was taken before it; exit 0 means that it was applied',
    check: (story) => {
      const undone = story.runs.filter(({ typed, exitCode }) => typed === 'undo' && exitCode === 0);
      if (undone.length === 0) return null;
      return undone.flatMap((run) => {
        const own = run.requests.filter(({ write }) => write?.operation === story.schedule.operation);
        const isUnchanged = (run.document as { changed?: unknown } | null)?.changed === false;
        const applied = story.effects.filter((effect) => own.some(({ number }) => number === effect.request));
        if (applied.length === 0 && !isUnchanged) return ['exit 0, and nothing was applied'];
        if (story.schedule.operation !== 'backup.restore') return [];
        const before = story.effects.filter(({ request }) => request < (own[0]?.number ?? 0));
        const safety = before.filter(({ operation }) => operation === 'backup.create').map(({ id }) => id);
        return own.every(({ write }) => safety.includes(write?.subject ?? ''))
          ? []
          : [`restored ${own[0]?.write?.subject}, which is no safety backup`];
      });
    },
  },
];

const isSame =
  (one: { readonly body: string } | undefined) =>
  ({ body }: { readonly body: string }) =>
    body === one?.body;

type Verdict = (
  run: Run,
  safety: Effect | undefined,
  /** Number of the first restore that it sent. */
  first: number,
  restored: Effect | undefined,
) => readonly string[];

function overRestores(story: Story, check: Verdict): readonly string[] | null {
  if (story.schedule.operation !== 'backup.restore') return null;
  const verdicts = story.runs.flatMap((run) => {
    const numbers = (operation: string) =>
      run.requests.filter(({ write }) => write?.operation === operation).map(({ number }) => number);
    const [first] = numbers('backup.restore');
    if (first === undefined || wasKilled(run)) return [];
    const effectOf = (sent: readonly number[]) => story.effects.find(({ request }) => sent.includes(request));
    return [check(run, effectOf(numbers('backup.create')), first, effectOf(numbers('backup.restore')))];
  });
  return verdicts.length === 0 ? null : verdicts.flat();
}
