import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { type FileProblem, type FileSystem, nodeFileSystem } from '../../../src/base/files/files.ts';
import { openLocks } from '../../../src/base/files/lock.ts';
import { type ProcessFacts, readMachine } from '../../../src/base/files/process-identity.ts';

export interface TestLocksOptions {
  readonly fileSystem?: FileSystem;
  /** Whose locks they are: of this process unless given. */
  readonly process?: ProcessFacts;
  readonly silenceMs?: number;
  readonly timeoutMs?: number;
}

/** What cannot be done, as the one who opens the locks gets it. */
class LockProblem extends Error {
  readonly kind: FileProblem['kind'];

  constructor({ kind, message, cause }: FileProblem) {
    super(message, { cause });
    this.kind = kind;
  }
}

/** The locks in a folder, as another process finds them. */
export function openLocksIn(
  folder: string,
  {
    fileSystem = nodeFileSystem,
    process: own = process,
    silenceMs = 30_000,
    timeoutMs = 60_000,
  }: TestLocksOptions = {},
) {
  return openLocks({
    folder,
    files: { fileSystem, platform: own.platform, failure: (problem) => new LockProblem(problem) },
    machine: readMachine(own),
    randomBytes,
    silenceMs,
    timeoutMs,
  });
}
