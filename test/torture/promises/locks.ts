import type { Run } from '../play.ts';
import type { Effect } from '../service/model.ts';
import type { ProgramPromise } from './promise.ts';
import { type Story, wasStopped } from './story.ts';

/** Promises about processes that are stopped while they hold locks. */
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
    text: 'changes of the same values have numbers of their own, and take effect in their order',
    check: (story) => {
      if (story.class !== 'repeatable' || !story.runs.some(wasStopped)) return null;
      const records = story.effects.flatMap((effect) => recordOf(story, effect) ?? []);
      const late = records.find((record, place) =>
        records.slice(0, place).some((other) => other !== record && other.number >= record.number),
      );
      const numbers = records.map(({ number }) => number).join(', ');
      return late === undefined ? [] : [`change ${late.number} was applied after a later one: ${numbers}`];
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
];

const isOf = ({ requests }: Run, { request }: Effect) => requests.some(({ number }) => number === request);

/** The record of the change that the effect is of. */
function recordOf({ requests, records }: Story, { request }: Effect) {
  const body = requests.find(({ number }) => number === request)?.body;
  const found = [...records.values()].filter((record) => record.body === body);
  // Of two with the same bytes, nobody can tell which it was.
  return found.length === 1 ? found[0] : undefined;
}
