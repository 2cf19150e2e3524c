import type { Run } from '../play.ts';
import type { Effect } from '../service/model.ts';
import type { ProgramPromise } from './promise.ts';
import { isResume, type Story, wasStopped } from './story.ts';

/** Promises about processes that are stopped while they hold locks, and about what is too old to be sent again. */
export const lockPromises: readonly ProgramPromise[] = [
  {
    id: 'stopped-keeps-its-locks',
    text: 'a stopped process of this machine keeps its locks',
    check: ({ runs }) => {
      const stopped = runs.filter((run) => wasStopped(run) && run.mishaps.system !== 'other-host');
      if (stopped.length === 0) return null;
      return stopped
        .filter(({ stderr }) => stderr.includes('lost the lock'))
        .map(({ typed, stderr }) => `${typed}: ${stderr.slice(-200)}`);
    },
  },
  {
    id: 'order-of-numbers',
    text: 'changes of the same values take effect in the order of their numbers',
    check: (story) => {
      if (story.class !== 'repeatable' || !story.runs.some(wasStopped)) return null;
      const numbers = story.effects.flatMap((effect) => numberOf(story, effect) ?? []);
      const late = numbers.find((number, place) => numbers.slice(0, place).some((other) => other > number));
      return late === undefined
        ? []
        : [`change ${late} was applied after a later one: ${numbers.join(', ')}`];
    },
  },
  {
    id: 'nothing-between-backup-and-restore',
    text: 'no other change of this machine comes between a safety backup and its restore',
    check: (story) => {
      if (story.schedule.operation !== 'backup.restore') return null;
      const stopped = story.runs.filter(wasStopped);
      if (stopped.length === 0) return null;
      return stopped.flatMap((run) => {
        const own = story.effects.filter((effect) => isOf(run, effect));
        const [safety, restored] = ['backup.create', 'backup.restore'].map((operation) =>
          own.find((effect) => effect.operation === operation),
        );
        if (safety === undefined || restored === undefined) return [];
        return safety.storeVersion === restored.storeVersion
          ? []
          : [`${run.typed}: the store was changed between request ${safety.request} and ${restored.request}`];
      });
    },
  },
  {
    id: 'old-doubt-needs-a-yes',
    text: 'what is in doubt for more than 20 hours is not sent again without a yes',
    check: ({ runs, schedule, wasDamaged }) => {
      if (wasDamaged) return null;
      const old = runs.filter(
        (run, place) => isResume(run) && place > 0 && isLaterThan(run, runs.slice(0, place)),
      );
      if (old.length === 0) return null;
      return old.flatMap(({ typed, requests }) => {
        const again = requests.filter(({ write }) => write?.operation === schedule.operation);
        return again.length === 0 ? [] : [`${typed}: request ${again[0]?.number} was sent`];
      });
    },
  },
];

const isOf = ({ requests }: Run, { request }: Effect) => requests.some(({ number }) => number === request);

/** The number of the change that the effect is of. */
function numberOf({ requests, records }: Story, { request }: Effect): number | undefined {
  const body = requests.find(({ number }) => number === request)?.body;
  const found = [...records.values()].filter((record) => record.body === body);
  // Of two with the same bytes, nobody can tell which it was.
  return found.length === 1 ? found[0]?.number : undefined;
}

const hoursMs = 20 * 3_600_000;

/** By more than 20 hours than the clocks of all runs before, wherever they stood. */
function isLaterThan({ mishaps }: Run, before: readonly Run[]): boolean {
  const clocks = before.flatMap(({ mishaps: { offsetMs, jumpAt, jumpMs } }) => [
    offsetMs,
    offsetMs + (jumpAt > 0 ? jumpMs : 0),
  ]);
  return mishaps.jumpAt === 0 && mishaps.offsetMs > Math.max(...clocks) + hoursMs;
}
