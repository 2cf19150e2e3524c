import { HistoryError, historyError } from '../errors.ts';
import { syncFolder } from './files.ts';
import type { LockOptions } from './lock.ts';
import { acquireLog, findLog, type LogFolder, readLog } from './log-folder.ts';
import { type LogWriter, openWriter } from './log-writer.ts';
import { renameLog } from './settle.ts';

export interface ReopenOptions extends LockOptions {
  /** No request that is added may contain one of them. */
  readonly secrets?: readonly string[];
}

/** See Journal. */
export async function reopenLog(
  folder: LogFolder,
  id: string,
  options: ReopenOptions = {},
): Promise<LogWriter> {
  const { secrets = [] } = options;
  const lock = await acquireLog(folder, id, options);
  try {
    const listed = findLog(folder, id);
    const log = listed && readLog(folder, listed);
    if (log === null) {
      throw new HistoryError('record_not_found', `no log ${id} in the history of this store`);
    }
    if (log.name.status !== 'closed') return openWriter(folder, lock, log, secrets);
    // Lines behind its closing line would be damage under the name of a closed log.
    const name = renameLog(folder, log.name, 'unsettled');
    syncFolder(folder.files, folder.path);
    return openWriter(folder, lock, { ...log, name }, secrets);
  } catch (error) {
    lock.release();
    throw historyError(error, 'write', folder.path);
  }
}
