import { HistoryError, historyError } from '../errors.ts';
import { createFile, ensureFolder, listFolder, removeQuietly, renameDurably, sweep } from './files.ts';
import type { Intent } from './history-record.ts';
import type { Lock } from './lock.ts';
import { acquireLog, fileOf, type LogFolder } from './log-folder.ts';
import { type LogHeader, logFormat, patchOfIntent, serializeLine } from './log-lines.ts';
import { dayOf, type LogName, makeLogId, makeLogName, parseLogName } from './log-name.ts';
import { type LogWriter, openWriter } from './log-writer.ts';
import { parseLog } from './parse-log.ts';

/** What a log begins with. */
export interface LogStart {
  readonly operation: string;
  readonly intents: readonly Intent[];
  /** The first records have ids with a number: more will follow. */
  readonly isBatch: boolean;
  readonly secrets: readonly string[];
}

/**
 * Makes a log with its first records. It appears under its name whole and on disk, or not at all. Throws a HistoryError.
 */
export async function beginLog(folder: LogFolder, start: LogStart): Promise<LogWriter> {
  for (const intent of start.intents) refuseSecrets(intent, start.secrets);
  ensureFolder(folder.files, folder.path);
  for (;;) {
    const id = makeLogId(folder.randomBytes(6));
    const lock = await acquireLog(folder, id);
    try {
      // Under the lock of the id: nobody else can take it from here on.
      const names = listFolder(folder.files, folder.path);
      sweepDrafts(folder, names);
      const logs = names.flatMap((name) => parseLogName(name) ?? []);
      if (logs.every((log) => log.id !== id)) return await createLog(folder, lock, id, logs, start);
    } catch (error) {
      lock.release();
      throw historyError(error, 'write', folder.path);
    }
    lock.release();
  }
}

async function createLog(
  folder: LogFolder,
  lock: Lock,
  id: string,
  logs: readonly LogName[],
  { operation, intents, isBatch }: LogStart,
): Promise<LogWriter> {
  const now = folder.now();
  const createdAt = new Date(now).toISOString();
  const number = logs.reduce((newest, log) => Math.max(newest, log.number), 0) + 1;
  const name = makeLogName({ number, date: dayOf(now), id, operation, status: 'open' });
  const header = makeHeader(folder, name, createdAt);
  const isNumbered = isBatch || intents.length > 1;
  const records = intents.map((intent, index) =>
    patchOfIntent(intent, isNumbered ? `${id}.${index + 1}` : id, createdAt),
  );
  const text = serializeLine({ line: 1, ...header }) + serializeLine({ line: 2, records, at: createdAt });
  const parsed = parseLog(text, name);
  if ('kind' in parsed) throw new Error(parsed.message);
  try {
    await writeLogFile(folder, name.name, text);
    return openWriter(folder, lock, { ...parsed, name, text });
  } catch (error) {
    // Its name may be there without being on disk, and nothing is sent for it.
    removeQuietly(folder.files, fileOf(folder, name.name));
    throw error;
  }
}

export function makeHeader(
  folder: LogFolder,
  { number, id, operation }: LogName,
  createdAt: string,
): LogHeader {
  const { baseUrl, storeId } = folder.store;
  return { format: logFormat, number, id, baseUrl, storeId, profile: folder.profile, operation, createdAt };
}

/** Puts a whole log under its name, and on disk. Throws what the file system throws. */
export async function writeLogFile(folder: LogFolder, name: string, text: string): Promise<void> {
  const draft = fileOf(folder, `.${name}${draftSuffix}`);
  // The caller holds the log's lock, so the process that left this one was killed.
  removeQuietly(folder.files, draft);
  createFile(folder.files, draft, text, { sync: true });
  await renameDurably(folder.files, draft, fileOf(folder, name));
}

const draftSuffix = '.tmp';

function isDraft(name: string): boolean {
  return name.startsWith('.') && name.endsWith(draftSuffix);
}

/** Removes what processes left that were killed an hour ago or earlier, out of these names. */
export function sweepDrafts({ files, path }: LogFolder, names: readonly string[]): void {
  sweep(files, path, Date.now(), names.filter(isDraft));
}

/** Shorter strings would turn up in a body by chance; no real key is that short. */
const minSecretLength = 8;

/** Throws a HistoryError `secret_in_record` when the request contains one of the secrets. */
function refuseSecrets({ path, body, ifMatch, former }: Intent, secrets: readonly string[]): void {
  const texts = [path, body, ifMatch, former].join('\n');
  for (const secret of secrets) {
    const escaped = JSON.stringify(secret).slice(1, -1);
    if (secret.length < minSecretLength || !(texts.includes(secret) || texts.includes(escaped))) continue;
    throw new HistoryError('secret_in_record', 'the request contains the API key');
  }
}
