import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { Session } from '../../cli/command/session.ts';
import { phrase, toRun } from '../../cli/config/phrase.ts';
import { CliError, describeSystemError } from '../../cli/core/errors.ts';
import { exitCodes } from '../../cli/core/exit-codes.ts';
import { formatDistance } from '../../cli/output/format-value.ts';
import { HistoryError } from '../../history/errors.ts';
import { type Finding, ok, problem, problemOf, warning } from './finding.ts';
import { isReadableByOthers } from './settings.ts';

const fixes = {
  damaged: phrase`run ${toRun('history', 'repair')}; until then no change is sent`,
  newer: 'update storectl; until then no change is sent',
  foreign: 'look at the file, then move it out of the directory',
} as const;

/** Checks the records of the store: how many there are, and which are open or unreadable. */
export async function checkHistory(session: Session): Promise<Finding[]> {
  try {
    const history = await session.history();
    const { folder } = history.journal;
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
      checkFolder(session, folder) ?? ok('history', `${count} in ${folder}`),
      ...openChanges,
      ...problems.map(({ file, kind, message }) =>
        problem('record', `${file} ${message}`, fixes[kind], exitCodes.localState),
      ),
    ];
  } catch (error) {
    if (error instanceof CliError) return [problemOf(session, 'history', error)];
    if (!(error instanceof HistoryError)) throw error;
    const fix = 'fix this, or set STORECTL_STATE_DIR to another directory';
    return [problem('history', error.message, fix, exitCodes.localState)];
  }
}

/** What is wrong with the folder of the history, or null. */
function checkFolder({ io }: Session, folder: string): Finding | null {
  const whyNot = tryToWrite(folder);
  if (whyNot !== null) {
    const fix = 'fix this, or set STORECTL_STATE_DIR to another directory; until then no change is sent';
    return problem('history', `cannot write to ${folder}: ${whyNot}`, fix, exitCodes.localState);
  }
  if (!isReadableByOthers(io, folder)) return null;
  return warning('history', `other users can read ${folder}`, `chmod 700 '${folder}'`);
}

/** Why a change could not be recorded, or null. Tries it in the folder, or in the nearest parent that exists. */
function tryToWrite(folder: string): string | null {
  const parent = path.dirname(folder);
  if (!existsSync(folder) && parent !== folder) return tryToWrite(parent);
  // The history leaves names with a dot alone.
  const file = path.join(folder, '.doctor');
  try {
    const descriptor = openSync(file, 'w', 0o600);
    try {
      writeSync(descriptor, '\n');
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
      rmSync(file, { force: true });
    }
    return null;
  } catch (error) {
    return describeSystemError(error);
  }
}
