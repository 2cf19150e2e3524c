import * as fs from 'node:fs';
import * as os from 'node:os';
import path from 'node:path';
import { shellWord } from '../shell-word.ts';
import { describeSystemError, errorCode } from '../system-error.ts';
import { retryWhilePending } from './pending.ts';

/**
 * The calls of the file system. They are passed in, so that tests can stop a process between any two of them. Most are synchronous: they
 * write a few kilobytes, and the program has nothing else to do until those are on disk.
 */
export type FileSystem = typeof fs;

export const nodeFileSystem: FileSystem = fs;

/** Files that only this program uses: private modes, no symbolic links, synced to disk. */
export interface Files {
  readonly fileSystem: FileSystem;
  /** `process.platform`. */
  readonly platform: string;
  /** Makes the error for a file that cannot be used. The owner of the files knows what to do about it. */
  readonly failure: (problem: FileProblem) => Error;
}

/**
 * Why a file or folder cannot be used. `locked`: another program has it open; `busy`: another process holds its lock; `lost`:
 * another process has taken the lock over.
 */
export interface FileProblem {
  readonly kind: 'unreadable' | 'unwritable' | 'locked' | 'busy' | 'lost' | 'disk_full';
  /** A clause without a full stop. */
  readonly message: string;
  readonly file: string;
  readonly cause?: unknown;
  /** What a person can do, if that follows from the file. */
  readonly advice?: string | undefined;
}

/** What a person can do, if that is the same for every file. */
export const advices: Readonly<Partial<Record<FileProblem['kind'], string>>> = {
  locked: 'close that program and try again',
  busy: 'wait for it to finish, then try again',
  lost: 'run the command again',
  disk_full: 'free some space and try again',
};

const kinds: Readonly<Record<string, FileProblem['kind']>> = {
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EBUSY: 'locked',
  ETXTBSY: 'locked',
};

/** The failure to read or write a file, from an error of the file system. Any other error is returned unchanged. */
export function fileFailure(files: Files, cause: unknown, action: 'read' | 'write', file: string): unknown {
  const code = errorCode(cause);
  if (!/^(?!ERR_)[A-Z]/.test(code)) return cause;
  const kind = kinds[code] ?? (action === 'read' ? 'unreadable' : 'unwritable');
  const foreign = code === 'EACCES' || code === 'EPERM' ? findForeign(files, file) : null;
  const why = foreign === null ? describeSystemError(cause) : `it belongs to ${foreign.owner}`;
  return files.failure({
    kind,
    message: `cannot ${action} ${file}: ${why}`,
    file,
    cause,
    ...(foreign !== null && { advice: `run ${foreign.command} to get it back` }),
  });
}

/** Whose file it is, or whose folder, and what gives it back to the user; null if it is the user's own, or is unknown. */
function findForeign({ fileSystem }: Files, file: string): { owner: string; command: string } | null {
  try {
    const folder = path.dirname(file);
    const { uid: own, username } = os.userInfo();
    // A file in the folder of another user cannot be examined.
    const found = fileSystem.lstatSync(file, { throwIfNoEntry: false }) ?? fileSystem.lstatSync(folder);
    if (own < 0 || found.uid === own) return null;
    const owner = found.uid === 0 ? 'root' : `another user (uid ${found.uid})`;
    return { owner, command: `sudo chown -R ${username} ${shellWord(folder)}` };
  } catch {
    return null;
  }
}

/** The largest file that is read, and so the largest that is written. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024;

const { O_CREAT, O_EXCL, O_NONBLOCK, O_RDONLY, O_WRONLY } = fs.constants;
/** Windows has no O_NOFOLLOW. */
const O_NOFOLLOW = fs.constants.O_NOFOLLOW ?? 0;

/**
 * Makes a folder and its parents with mode 0700. A looser mode of the folder is tightened. Throws a failure if that is not possible, or if
 * the folder is a symbolic link.
 */
export function ensureFolder(files: Files, folder: string): void {
  try {
    const found = makeFolder(files, folder);
    checkFolder(files, folder, found);
    if (files.platform !== 'win32' && (found.mode & 0o077) !== 0) files.fileSystem.chmodSync(folder, 0o700);
  } catch (error) {
    throw fileFailure(files, error, 'write', folder);
  }
}

/**
 * Syncs a folder, and those of its parents that belong to the same user: a process that made one of them may have been killed before it
 * synced. Throws the errors of the file system.
 */
export function syncParents(files: Files, folder: string): void {
  const { lstatSync } = files.fileSystem;
  const { uid } = lstatSync(folder);
  const parent = path.dirname(folder);
  if (parent === folder || lstatSync(parent).uid !== uid) return;
  syncFolder(files, parent);
  syncParents(files, parent);
}

/** The names in a folder; none if the folder does not exist. Throws a failure if the folder cannot be read. */
export function listFolder(files: Files, folder: string): string[] {
  try {
    const found = lstatOrNull(files, folder);
    if (found === null) return [];
    checkFolder(files, folder, found);
    return files.fileSystem.readdirSync(folder);
  } catch (error) {
    throw fileFailure(files, error, 'read', folder);
  }
}

/**
 * Makes a missing folder (0700) and its parents. Throws the errors of the file system. mkdir's `recursive` is not used: on Node 20 it
 * never returns if a parent exists but refuses new folders.
 */
export function makeFolder(files: Pick<Files, 'fileSystem' | 'platform'>, folder: string): fs.Stats {
  const found = lstatOrNull(files, folder);
  if (found !== null) return found;
  const parent = path.dirname(folder);
  if (parent !== folder) makeFolder(files, parent);
  try {
    files.fileSystem.mkdirSync(folder, { mode: 0o700 });
    syncFolder(files, parent);
  } catch (error) {
    // Another process may have been faster.
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  return files.fileSystem.lstatSync(folder);
}

function checkFolder({ failure }: Files, folder: string, found: fs.Stats): void {
  if (found.isDirectory()) return;
  const what = found.isSymbolicLink() ? 'a symbolic link (not allowed here)' : 'not a directory';
  throw failure({ kind: 'unwritable', message: `${folder} is ${what}`, file: folder });
}

function lstatOrNull(files: Pick<Files, 'fileSystem'>, file: string): fs.Stats | null {
  return files.fileSystem.lstatSync(file, { throwIfNoEntry: false }) ?? null;
}

/** The state of a file before it was read, which tells whether the file has changed since. */
export type FoundFile = Pick<fs.Stats, 'ino' | 'size' | 'mtimeMs'>;

/** As {@link readBytes}, as text. */
export function readText(files: Files, file: string): (FoundFile & { text: string }) | null {
  const found = readBytes(files, file);
  return found && { ...found, text: found.bytes.toString() };
}

/**
 * The content of a file; null if the file does not exist. A looser mode than 0600 is tightened. Throws a failure for anything but a
 * regular file of at most {@link MAX_FILE_BYTES}.
 */
export function readBytes(files: Files, file: string): (FoundFile & { bytes: Buffer }) | null {
  const { fileSystem, platform } = files;
  let descriptor: number;
  try {
    // Without O_NONBLOCK the program would wait forever for a named pipe in place of a file.
    descriptor = fileSystem.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw fileFailure(files, error, 'read', file);
  }
  try {
    const stats = fileSystem.fstatSync(descriptor);
    const { ino, size, mtimeMs } = stats;
    const problem = stats.isFile() ? size > MAX_FILE_BYTES && 'is too large' : 'is not a regular file';
    if (problem) throw files.failure({ kind: 'unreadable', message: `${file} ${problem}`, file });
    if (platform !== 'win32' && (stats.mode & 0o077) !== 0) repairMode(files, descriptor);
    return { bytes: fileSystem.readFileSync(descriptor), ino, size, mtimeMs };
  } catch (error) {
    throw fileFailure(files, error, 'read', file);
  } finally {
    fileSystem.closeSync(descriptor);
  }
}

function repairMode(files: Files, descriptor: number): void {
  try {
    files.fileSystem.fchmodSync(descriptor, 0o600);
  } catch {
    // A file of another user or on a read-only disk can still be read.
  }
}

/** Creates a file with mode 0600 and this content. Throws EEXIST if the name exists. */
export function createFile(
  files: Files,
  file: string,
  text: string | Uint8Array,
  { sync }: { sync: boolean },
): void {
  const { fileSystem } = files;
  const descriptor = fileSystem.openSync(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    try {
      const bytes = Buffer.from(text);
      for (let written = 0; written < bytes.length; ) {
        written += fileSystem.writeSync(descriptor, bytes, written);
      }
      if (sync) fileSystem.fsyncSync(descriptor);
    } finally {
      fileSystem.closeSync(descriptor);
    }
  } catch (error) {
    removeQuietly(files, file);
    throw error;
  }
}

/**
 * Throws the failure of a write if a folder cannot be written, or, while the folder is missing, its nearest parent that exists. `name` is
 * that of a file that is made and removed.
 */
export function assertWritable(files: Files, folder: string, name: string): void {
  let existing = folder;
  while (!files.fileSystem.existsSync(existing) && path.dirname(existing) !== existing) {
    existing = path.dirname(existing);
  }
  const file = path.join(existing, name);
  try {
    createFile(files, file, '', { sync: false });
  } catch (error) {
    throw fileFailure(files, error, 'write', file);
  }
  removeQuietly(files, file);
}

/** Renames `from` to `to` in the same folder, replaces a file with that name, and syncs the folder. If that fails, `from` is removed. */
export async function renameDurably(files: Files, from: string, to: string): Promise<void> {
  try {
    await retryWhilePending(files.platform, () => files.fileSystem.renameSync(from, to));
  } catch (error) {
    removeQuietly(files, from);
    throw error;
  }
  syncFolder(files, path.dirname(to));
}

export function removeQuietly(files: Files, file: string): void {
  try {
    files.fileSystem.unlinkSync(file);
  } catch {
    // The file is gone, or a later sweep removes it.
  }
}

/** Syncs a file, with the bytes that any process has written to it. Throws the errors of the file system. */
export function syncFile({ fileSystem }: Pick<Files, 'fileSystem'>, file: string): void {
  // Windows syncs a file only if it is open for writing.
  const descriptor = fileSystem.openSync(file, O_WRONLY | O_NOFOLLOW);
  try {
    fileSystem.fsyncSync(descriptor);
  } finally {
    fileSystem.closeSync(descriptor);
  }
}

/** Syncs the names in a folder. */
export function syncFolder(files: Pick<Files, 'fileSystem' | 'platform'>, folder: string): void {
  // Windows cannot open a folder; NTFS journals its names by itself.
  if (files.platform === 'win32') return;
  const descriptor = files.fileSystem.openSync(folder, O_RDONLY);
  try {
    files.fileSystem.fsyncSync(descriptor);
  } catch (error) {
    // Some network file systems cannot sync a folder.
    if (!['EINVAL', 'ENOTSUP', 'EOPNOTSUPP'].includes(errorCode(error))) throw error;
  } finally {
    files.fileSystem.closeSync(descriptor);
  }
}

/** Removes drafts among these names that were not written for an hour: the processes that made them were killed. */
export function sweepDrafts(files: Files, folder: string, names: readonly string[]): void {
  for (const name of names.filter((name) => name.startsWith('.') && name.endsWith('.tmp'))) {
    const file = path.join(folder, name);
    const stats = lstatOrNull(files, file);
    if (stats?.isFile() && Date.now() - stats.mtimeMs > 3_600_000) removeQuietly(files, file);
  }
}
