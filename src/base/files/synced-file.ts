import * as fs from 'node:fs';
import { promisify } from 'node:util';
import { type Files, fileFailure } from './files.ts';

export interface AppendOptions {
  /** Without it, a power cut may take the text away until something syncs the file. True if left out. */
  readonly sync?: boolean;
}

/** Opens an existing file to append to it, and cuts off what is behind `length` bytes. Throws what the file system throws. */
export function openSynced(files: Files, file: string, length: number) {
  const { fileSystem } = files;
  const descriptor = fileSystem.openSync(file, fs.constants.O_WRONLY | (fs.constants.O_NOFOLLOW ?? 0));
  // In another thread, so requests and responses go on meanwhile.
  const sync = promisify(fileSystem.fdatasync);
  let size = length;
  let failure: unknown = null;
  /** 0 on file systems that do not count links. */
  let linksAtFirst: number;
  try {
    const found = fileSystem.fstatSync(descriptor);
    linksAtFirst = found.nlink;
    if (found.size > length) fileSystem.ftruncateSync(descriptor, length);
  } catch (error) {
    fileSystem.closeSync(descriptor);
    throw error;
  }

  async function write(bytes: Buffer, { sync: isSynced = true }: AppendOptions): Promise<void> {
    // The file or its folder was removed: what is written now would be lost.
    if (linksAtFirst > 0 && fileSystem.fstatSync(descriptor).nlink === 0) {
      throw files.failure({ kind: 'unwritable', message: `cannot write ${file}: it was removed`, file });
    }
    for (let done = 0; done < bytes.length; ) {
      done += fileSystem.writeSync(descriptor, bytes, done, bytes.length - done, size + done);
    }
    if (isSynced) await sync(descriptor);
    size += bytes.length;
  }

  return {
    /** Bytes that were appended whole, and before. */
    get size() {
      return size;
    },
    /**
     * On disk when the promise resolves, unless `sync` is false. Not to be called again before. Rejects with a failure; then the
     * file is as it was before, as far as the disk allows, and every later call rejects as well.
     */
    async append(text: string, options: AppendOptions = {}): Promise<void> {
      if (failure !== null) throw failure;
      try {
        await write(Buffer.from(text), options);
      } catch (cause) {
        failure = fileFailure(files, cause, 'write', file);
        try {
          fileSystem.ftruncateSync(descriptor, size);
        } catch {
          // What is left there is a broken end.
        }
        throw failure;
      }
    },
    close: () => fileSystem.closeSync(descriptor),
  };
}
