import type { Session } from '../../cli/command/session.ts';
import { phrase, toRun } from '../../cli/config/phrase.ts';
import { CliError } from '../../cli/core/errors.ts';
import { exitCodes } from '../../cli/core/exit-codes.ts';
import { formatDistance } from '../../cli/output/format-value.ts';
import { HistoryError } from '../../history/errors.ts';
import { type Finding, ok, problem, problemOf, warning } from './finding.ts';
import { isLoose } from './settings.ts';

const fixes = {
  damaged: phrase`run ${toRun('history', 'repair')}; until then no change is sent`,
  newer: 'update storectl; until then no change is sent',
  foreign: 'look at the file, then move it out of the directory',
} as const;

/** Checks the records of the store: how many there are, and which are open or unreadable. */
export async function checkHistory(session: Session): Promise<Finding[]> {
  try {
    const history = await session.history();
    const { records, problems } = history.list();
    const open = records.filter(({ open }) => open);
    const oldest = open.at(-1);
    const count = records.length === 1 ? '1 record' : `${records.length} records`;
    const openChanges =
      oldest === undefined
        ? []
        : [
            warning(
              'open',
              `${open.length} open, the oldest ${formatDistance(Date.parse(oldest.createdAt) - Date.now())}`,
              phrase`run ${toRun('resume')}`,
            ),
          ];
    return [
      isLoose(session.io, history.journal.folder)
        ? warning(
            'history',
            `other users can read ${history.journal.folder}`,
            `chmod 700 '${history.journal.folder}'`,
          )
        : ok('history', `${count} in ${history.journal.folder}`),
      ...openChanges,
      ...problems.map(({ file, kind, message }) =>
        problem('record', `${file} ${message}`, fixes[kind], exitCodes.localState),
      ),
    ];
  } catch (error) {
    if (error instanceof CliError) return [problemOf('history', error)];
    if (!(error instanceof HistoryError)) throw error;
    const fix = 'fix this, or set STORECTL_STATE_DIR to another directory';
    return [problem('history', error.message, fix, exitCodes.localState)];
  }
}
