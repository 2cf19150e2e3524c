import { createId } from '../../model/ids.ts';
import { timestamp } from '../../model/time.ts';
import { removeInSteps, type Tenant } from '../../storage/core/storage.ts';
import {
  type BackupChunk,
  type BackupRecord,
  type BackupSectionRecord,
  deleteUnfinished,
  insertBackup,
  insertBackupChunk,
  insertBackupSections,
} from '../../storage/queries/backups.ts';
import type { LongWork } from '../idempotency.ts';
import type { Work } from '../unit-of-work.ts';
import { maxChunk, type SectionName, takeSnapshot } from './sections.ts';

/** Of backups as a whole. Each section has its own version. */
export const formatVersion = 2;

/** A backup that is being made. Nobody sees it until it is finished. */
export interface Copy {
  readonly backup: BackupRecord;
  readonly sections: BackupSectionRecord[];
  /** Chunks that are not saved. */
  unsaved: (BackupChunk & { readonly section: SectionName; readonly position: number })[];
  isSaved: boolean;
  isFinished: boolean;
}

export function beginCopy(work: Work, label: string): Copy {
  const backup = { id: createId(), version: formatVersion, label, createdAt: timestamp(work.now) };
  return { backup, sections: [], unsaved: [], isSaved: false, isFinished: false };
}

/** Copies the current content of sections, and saves it in pieces of about a chunk. A small rest is left to `finishCopy`. */
export async function copySections(
  work: Work,
  save: LongWork['save'],
  copy: Copy,
  names: readonly SectionName[],
): Promise<void> {
  let size = 0;
  for (const section of names) {
    let position = 0;
    const keep = async (chunk: BackupChunk) => {
      if (size > 0 && size + chunk.payload.length > maxChunk) {
        copy.isSaved = true;
        await save((db) => saveChunks({ ...work, db }, copy));
        size = 0;
      }
      copy.unsaved.push({ ...chunk, section, position: position++ });
      size += chunk.payload.length;
    };
    copy.sections.push(await takeSnapshot(work, section, keep));
  }
}

async function saveChunks(tenant: Tenant, copy: Copy): Promise<void> {
  await insertBackup(tenant, copy.backup);
  for (const chunk of copy.unsaved) {
    await insertBackupChunk(tenant, { ...chunk, backupId: copy.backup.id });
  }
  copy.unsaved = [];
}

/** Makes it a backup. */
export async function finishCopy(work: Work, copy: Copy): Promise<void> {
  await saveChunks(work, copy);
  await insertBackupSections(work, copy.backup.id, copy.sections);
  copy.isFinished = true;
}

/** Runs `use` with a copy of the sections. Unless that finishes it, the copy is deleted. */
export async function withCopy<Result>(
  work: LongWork,
  label: string,
  names: readonly SectionName[],
  use: (copy: Copy) => Promise<Result>,
): Promise<Result> {
  const copy = beginCopy(work, label);
  let isUsed = false;
  try {
    await copySections(work, work.save, copy, names);
    const result = await use(copy);
    isUsed = copy.isFinished;
    return result;
  } finally {
    // Where this fails, `prune` does it.
    if (copy.isSaved && !isUsed) {
      const remove = () => work.save((db) => deleteUnfinished({ ...work, db }, copy.backup.id));
      await removeInSteps(remove).catch(() => {});
    }
  }
}
