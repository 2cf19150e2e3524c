import { operations } from '../operations.ts';
import type { Run } from '../play.ts';
import type { ProgramPromise } from './promise.ts';
import { keyOf, mayLoseRecord, type Story, wasKilled } from './story.ts';

const outputErrors = new Set(['output_failed', 'unwritable_file']);

/** Promises about a history that is damaged, and about one that lost what was not synced. */
export const damagePromises: readonly ProgramPromise[] = [
  {
    id: 'damage-fails-closed',
    text: 'damaged history: exit 11 with the name of the file, and nothing is sent',
    check: (story) => {
      const affected = story.runs.filter((run) => run.damagedFiles.length > 0 && readsOwn(story, run));
      if (affected.length === 0) return null;
      return affected.flatMap(({ typed, tool, exitCode, error, requests, stderr, damagedFiles }) => {
        const writes = requests.filter(({ write }) => write !== null).length;
        // Some read the store first: where there is nothing to change, or the read fails, the history is not asked.
        const isNothing =
          writes === 0 &&
          ([0, 2, 4, 5, 6, 7, 8, 9].includes(exitCode ?? 1) || outputErrors.has(String(error?.code)));
        if (operations[story.schedule.operation].readsFirst && isNothing) return [];
        if (exitCode !== 11 || writes > 0) return [`${typed}: exit ${exitCode}, ${writes} writes sent`];
        // An assistant gets no paths.
        return tool === 'mcp' || damagedFiles.some((file) => stderr.includes(file))
          ? []
          : [`${typed}: does not name ${damagedFiles.join(' or ')}`];
      });
    },
  },
  {
    id: 'repair-goes-on',
    text: '`history repair` sets aside what is damaged, and commands go on',
    check: ({ runs }) => {
      const at = runs.findIndex(({ typed }) => typed === 'repair');
      const [repair, ...later] = at === -1 ? [] : runs.slice(at);
      if (repair === undefined) return null;
      const stuck = later.filter(
        ({ exitCode, damagedFiles, mishaps: { fullAt, stdoutFull, outputFull } }) =>
          exitCode === 11 && damagedFiles.length === 0 && fullAt === 0 && !stdoutFull && !outputFull,
      );
      return [
        ...(repair.exitCode === 0 ? [] : [`history repair: exit ${repair.exitCode}`]),
        ...stuck.map(({ typed, stderr }) => `${typed}: ${stderr.slice(0, 200)}`),
      ];
    },
  },
  {
    id: 'reported-is-kept',
    text: 'what was reported as applied is applied in the history, even if the power was cut since',
    check: (story) => {
      const { history, asks, schedule, wasDamaged, isBatch } = story;
      if (history === null || wasDamaged || isBatch || operations[schedule.operation].class === 'read')
        return null;
      // Whose outcome could not be written down says so.
      const reportedKeys = asks.flatMap(({ subject, episodes }, index) => {
        const report = episodes.find(
          ({ run, reported, writes }) =>
            reported === 'applied' && run.exitCode === 0 && !mayLoseRecord(run) && writes.length > 0,
        );
        // A command that was killed before it began leaves its ask to the key of another.
        const write = report?.writes.at(-1);
        return write === undefined ? [] : [keyOf(write) ?? `${subject} ${index}`];
      });
      const applied = history.filter(
        ({ operation, state }) => operation === schedule.operation && state === 'applied',
      );
      const count = new Set(reportedKeys).size;
      return applied.length >= count
        ? []
        : [`${count} were reported as applied, the history has ${applied.length}`];
    },
  },
];

/** They may do without the log that is damaged. */
const others: readonly string[] = ['store-update', 'resume-newest', 'undo', 'mark', 'repair', 'list'];

/** Commands of the operation whose log is damaged, and `resume`: these have to read it. */
function readsOwn({ class: operationClass }: Story, run: Run): boolean {
  return operationClass !== 'read' && !wasKilled(run) && !others.includes(run.typed);
}
