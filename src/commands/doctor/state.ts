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
import { isOpen } from '../../history/records/outline.ts';
import { type Finding, ok, problem, problemOf, warning } from './finding.ts';
import { isLoose } from './settings.ts';

const elsewhere = 'fix this, or set STORECTL_STATE_DIR to another directory';

/** Checks that the folder of the history can be written and that its disk has space. */
export function checkStateFolder({ io }: Context): Finding[] {
  let folder: string;
  try {
    folder = stateDirectory(io);
  } catch (error) {
    if (error instanceof CliError) return [problemOf('state', error)];
    throw error;
  }
  const existing = nearestFolder(folder);
  try {
    if (existing === folder) {
      // access() is not enough: network drives and Windows allow it and then refuse to write.
      rmdirSync(mkdtempSync(path.join(folder, '.doctor-')));
    } else accessSync(existing, constants.W_OK | constants.X_OK);
  } catch (error) {
    const message = `cannot write to ${folder}: ${describeSystemError(error)}`;
    return [problem('state', message, elsewhere, exitCodes.localState)];
  }
  const state = ok('state', existing === folder ? folder : `${folder}, not created yet`);
  return [state, ...checkSpace(existing)];
}

/** The folder, or its nearest parent that exists. */
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
    // Some file systems do not report it.
    return [];
  }
  const message = `${free < 10_240 ? `${free} MiB` : `${Math.floor(free / 1024)} GiB`} free`;
  const fix = 'free some space: every change is recorded on disk before it is sent';
  if (free < 10) return [problem('space', message, fix, exitCodes.localState)];
  return [free < 100 ? warning('space', message, fix) : ok('space', message)];
}

const fixes = {
  damaged: 'run `storectl history repair`; until then no change is sent',
  newer: 'update storectl; until then no change is sent',
  foreign: 'look at the file, then move it out of the directory',
} as const;

/** Checks the records of the profile: how many there are, which are open or unreadable, and which locks are left. */
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
        ? warning('history', `other users can read ${history.folder}`, `chmod 700 '${history.folder}'`)
        : ok('history', `${count} in ${history.folder}`),
      oldest === undefined
        ? ok('open', 'no changes with an unknown outcome')
        : warning(
            'open',
            `${open.length} open, the oldest ${formatDistance(Date.parse(oldest.createdAt) - context.now())}`,
            'run `storectl resume`',
          ),
      ...problems.map(({ file, kind, message }) =>
        problem('record', `${file} ${message}`, fixes[kind], exitCodes.localState),
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
    if (liveness === 'dead')
      return ok('locks', `${who} has ended; the next command takes over its lock ${file}`);
    if (liveness === 'alive') return ok('locks', `${who} is running (${file})`);
    const fix = 'wait for it; if no storectl is running anywhere, the lock is taken over after 30 s';
    return warning('locks', `${file} is locked by ${who}, which may have ended`, fix);
  });
}
