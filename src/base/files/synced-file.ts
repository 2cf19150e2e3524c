import * as fs from 'node:fs';
import { promisify } from 'node:util';
import { type Files, fileFailure } from './files.ts';

export interface AppendOptions {
  /** Whether the text is on disk when the promise resolves. True by default. */
  readonly sync?: boolean;
}

/** Opens an existing file for appending, and cuts it off after `length` bytes. Throws the errors of the file system. */
export function openSynced(files: Files, file: string, length: number) {
  const { fileSystem } = files;
  const descriptor = fileSystem.openSync(file, fs.constants.O_WRONLY | (fs.constants.O_NOFOLLOW ?? 0));
  // The sync runs in another thread, so that requests and responses go on meanwhile.
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
    // The file or its folder was removed, so the text would be lost.
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
    /** Bytes of the file, with the appended texts. */
    get size() {
      return size;
    },
    /**
     * Appends a text. The text is on disk when the promise resolves, unless `sync` is false. Must not be called again before. Rejects with
     * a failure: then the text is cut off again, as far as the disk allows, and every later call rejects, too.
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
          // A broken last line stays in the file.
        }
        throw failure;
      }
    },
    /** Never throws: what had to be on disk was synced before. */
    close(): void {
      try {
        fileSystem.closeSync(descriptor);
      } catch {
        // The descriptor is released all the same.
      }
    },
  };
}
