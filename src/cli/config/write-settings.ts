import { randomBytes } from 'node:crypto';
import path from 'node:path';
import Conf from 'conf';
import { advices, type FileProblem, makeFolder, nodeFileSystem } from '../../base/files/files.ts';
import { openLocks } from '../../base/files/lock.ts';
import { type ProcessFacts, readMachine } from '../../base/files/process-identity.ts';
import { describeSystemError } from '../../base/system-error.ts';
import { CliError, localStateError } from '../core/errors.ts';

/** How long a lock of a process that may have died is respected without a sign of life, in milliseconds. */
const lockSilenceMs = 10_000;

/**
 * Replaces `settings.json` in `directory` by what `change` returns. It is called under a lock, because each write replaces the
 * whole file.
 */
export async function writeSettings(
  directory: string,
  process: ProcessFacts,
  change: () => Record<string, unknown>,
): Promise<void> {
  const file = path.join(directory, 'settings.json');
  const failure = ({ kind, message, advice }: Pick<FileProblem, 'kind' | 'message' | 'advice'>) =>
    localStateError(
      'settings_unwritable',
      `cannot write settings to ${file}: ${message}`,
      advice ?? advices[kind] ?? 'fix that, or choose another directory with STORECTL_CONFIG_DIR',
    );
  const files = { fileSystem: nodeFileSystem, platform: process.platform, failure };
  try {
    // For an error about this folder, which may be a symbolic link.
    makeFolder(files, directory);
    const lock = await openLocks({
      folder: path.join(directory, 'locks'),
      files,
      machine: readMachine(process),
      randomBytes,
      silenceMs: lockSilenceMs,
      timeoutMs: 2 * lockSilenceMs,
    }).acquire(file);
    try {
      // Before conf opens the file, which may be a pipe that nobody writes into.
      const settings = change();
      const conf = new Conf<Record<string, unknown>>({
        cwd: directory,
        configName: 'settings',
        projectName: 'storectl',
        configFileMode: 0o600,
        accessPropertiesByDotNotation: false,
        clearInvalidConfig: false,
      });
      lock.assertHeld();
      conf.store = settings;
    } finally {
      lock.release();
    }
  } catch (error) {
    throw error instanceof CliError
      ? error
      : failure({ kind: 'unwritable', message: describeSystemError(error) });
  }
}
