import { constants } from 'node:fs';
import { access, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder, nodeFileSystem } from '../../../base/files/files.ts';
import { errorCode } from '../../../base/system-error.ts';

/**
 * Creates the folder (0700) and the file (0600) if they are missing. The engine gives its side files the same mode.
 * A file that exists must not be opened here: POSIX drops all locks of this process on a file when any descriptor of it
 * is closed, and another process could then remove the log that our connections write.
 */
export async function createDatabaseFile(location: string): Promise<void> {
  makeFolder({ fileSystem: nodeFileSystem, platform: process.platform }, dirname(location));
  await ignoringExisting(async () => {
    const file = await open(location, 'wx', 0o600);
    await file.close();
  });
  // The system's message says more than the engine's.
  await access(location, constants.R_OK | constants.W_OK);
  if (!(await stat(location)).isDirectory()) return;
  throw Object.assign(new Error(`${location} is a directory`), { code: 'EISDIR' });
}

/** Another process may create the same at the same time. */
async function ignoringExisting(make: () => Promise<unknown>): Promise<void> {
  try {
    await make();
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}
