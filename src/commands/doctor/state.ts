import { accessSync, constants, existsSync, mkdtempSync, rmdirSync, statfsSync } from 'node:fs';
import path from 'node:path';
import type { Context } from '../../cli/command/context.ts';
import { configDirectory, stateDirectory } from '../../cli/config/directories.ts';
import { CliError, describeSystemError } from '../../cli/core/errors.ts';
import { exitCodes } from '../../cli/core/exit-codes.ts';
import { formatDistance } from '../../cli/output/format-value.ts';
import { HistoryError } from '../../history/errors.ts';
import { nodeFileSystem } from '../../history/files/files.ts';
import { inspectLocks } from '../../history/files/lock.ts';
import { readMachine } from '../../history/files/process-identity.ts';
import { isOpen } from '../../history/records/record.ts';
import { type Finding, ok, problem, problemOf, warning } from './finding.ts';
import { isLoose } from './settings.ts';

const elsewhere = 'repair that, or choose another folder with STORECTL_STATE_DIR';

/** Where history is kept: can it be written, and is there room? */
export function checkStateFolder({ io }: Context): Finding[] {
  let folder: string;
  try {
    folder = stateDirectory(io);
  } catch (error) {
    if (error instanceof CliError) return [problemOf('state', error)];
    throw error;
  }
  const there = nearestFolder(folder);
  try {
    if (there === folder) {
      // Asking the system is not enough: network drives and Windows answer yes and then refuse.
      rmdirSync(mkdtempSync(path.join(folder, '.doctor-')));
    } else accessSync(there, constants.W_OK | constants.X_OK);
  } catch (error) {
    const message = `cannot write to ${folder}: ${describeSystemError(error)}`;
    return [problem('state', message, elsewhere, exitCodes.localState)];
  }
  const state = ok('state', there === folder ? folder : `${folder}, not made yet`);
  return [state, ...checkSpace(there)];
}

/** The folder, or the one above it that is there. */
function nearestFolder(folder: string): string {
  const parent = path.dirname(folder);
  return existsSync(folder) || parent === folder ? folder : nearestFolder(parent);
}

const mebibyte = 1024 * 1024;

function checkSpace(folder: string): Finding[] {
  let free: number;
  try {
    const { bavail, bsize } = statfsSync(folder);
    free = Math.floor((bavail * bsize) / mebibyte);
  } catch {
    // Some file systems do not say.
    return [];
  }
  const message = `${free < 10_240 ? `${free} MiB` : `${Math.floor(free / 1024)} GiB`} free`;
  const mend = 'free some: nothing is sent that cannot be written down first';
  if (free < 10) return [problem('space', message, mend, exitCodes.localState)];
  return [free < 100 ? warning('space', message, mend) : ok('space', message)];
}

/** Records of the profile: how many, what is open, what cannot be read, and locks that were left behind. */
export async function checkHistory(context: Context): Promise<Finding[]> {
  const { io } = context;
  try {
    const history = await context.history();
    const { records, problems } = await history.list();
    const open = records.filter(isOpen);
    const oldest = open.at(-1);
    const count = records.length === 1 ? '1 record' : `${records.length} records`;
    return [
      isLoose(io, history.folder)
        ? warning('history', `others may look into ${history.folder}`, `chmod 700 '${history.folder}'`)
        : ok('history', `${count} in ${history.folder}`),
      oldest === undefined
        ? ok('open', 'nothing is open')
        : warning(
            'open',
            `${open.length} of them open, the oldest ${formatDistance(Date.parse(oldest.createdAt) - context.now())}`,
            'run `storectl resume`',
          ),
      ...problems.map(({ file, message }) =>
        problem(
          'record',
          `${file} ${message}`,
          'look at what it says, then move it away',
          exitCodes.localState,
        ),
      ),
      ...checkLocks(context, history.folder),
    ];
  } catch (error) {
    if (error instanceof CliError) return [problemOf('history', error)];
    if (!(error instanceof HistoryError)) throw error;
    return [problem('history', error.message, elsewhere, exitCodes.localState)];
  }
}

function checkLocks({ io }: Context, historyFolder: string): Finding[] {
  const files = { fileSystem: nodeFileSystem, platform: io.process.platform };
  const machine = readMachine(io.process);
  const found = [historyFolder, configDirectory(io)].flatMap((folder) =>
    inspectLocks(path.join(folder, 'locks'), files, machine),
  );
  if (found.length === 0) return [ok('locks', 'none')];
  return found.map(({ file, holder, liveness }) => {
    const who = holder === null ? 'an unknown process' : `process ${holder.pid} on ${holder.host}`;
    if (liveness === 'dead') {
      const mend =
        'the next command that needs it removes it; `storectl history prune --older-than 90d` does so now';
      return warning('locks', `${who} ended and left ${file} behind`, mend);
    }
    if (liveness === 'alive') return ok('locks', `${who} is at work (${file})`);
    const mend = 'wait for it; when no storectl runs anywhere, the file is taken over after 30 s';
    return warning('locks', `${who} holds ${file}, and may have ended`, mend);
  });
}
