import * as z from 'zod';
import { sectionNames } from '../../contract/operations/backups.ts';
import { firstCodePoints } from '../model/code-points.ts';
import { type FieldError, invalidFields, notFound, ServiceError } from '../model/errors.ts';
import { distinct, filledText, idempotencyKey } from '../model/field-schemas.ts';
import { createId } from '../model/ids.ts';
import { timestamp } from '../model/time.ts';
import {
  type BackupChunk,
  type BackupRecord,
  type BackupSectionRecord,
  findBackup,
  insertBackup,
  insertBackupChunk,
  insertBackupSections,
  listBackupSections,
  readBackupChunks,
} from '../storage/queries/backups.ts';
import { applySnapshot, isIntact, type SectionName, takeSnapshot } from './backup-sections.ts';
import { recordEvent } from './record-event.ts';
import type { Work } from './unit-of-work.ts';

/** Of backups as a whole, oldest first. Each section has its own version. */
const formatVersions = [1, 2];
const formatVersion = 2;

const maxLabel = 120;

const someSections = () =>
  distinct(z.enum(sectionNames), sectionNames.length).min(1, 'must contain at least one section');

/** Body of operation 8. */
export const newBackup = z.strictObject({
  label: filledText(maxLabel),
  sections: someSections(),
  idempotencyKey: idempotencyKey(),
});

/** Body of operation 9. */
export const newRestore = z.strictObject({ sections: someSections(), idempotencyKey: idempotencyKey() });

/** Operation 8. All sections are read in one transaction, so they are consistent. */
export async function createBackup(work: Work, { label, sections }: z.output<typeof newBackup>) {
  const backup = await backUp(work, label, sections);
  await recordEvent(work, 'backup_created', { backupId: backup.id, label, sections });
  return { ...backup, sections };
}

/**
 * Operation 9: restores all the sections or none, after a backup of their current content. Throws `validation_failed` for
 * a section that is not in the backup, and `state_conflict` for a damaged section or a backup of another version.
 */
export async function restoreBackup(work: Work, backupId: string, { sections }: z.output<typeof newRestore>) {
  const backup = await findBackup(work, backupId);
  if (backup === undefined) throw notFound('Backup', backupId);
  if (!formatVersions.includes(backup.version)) {
    const detail = `Backup version ${backup.version} is not supported (supported: ${formatVersions.join(' and ')}).`;
    throw new ServiceError('state_conflict', detail);
  }
  const selected = await selectSections(work, backup, sections);
  const label = firstCodePoints(`By the service before restore of ${backup.label}`, maxLabel);
  const before = await backUp(work, label, sections);

  for (const [name] of selected) {
    await applySnapshot(work, name, readBackupChunks(work, backupId, name));
  }
  for (const [name, section] of selected) {
    const { sha256 } = await takeSnapshot(work, name);
    if (sha256 !== section.sha256) throw new Error(`restored ${name} differs from backup ${backupId}`);
  }
  await recordEvent(work, 'backup_restored', { backupId, preRestoreBackupId: before.id, sections });
  return {
    backupId,
    preRestoreBackupId: before.id,
    sections: Object.fromEntries(
      selected.map(([name, { itemCount, sha256 }]) => [name, { count: itemCount, sha256 }]),
    ),
  };
}

async function backUp(work: Work, label: string, names: readonly SectionName[]): Promise<BackupRecord> {
  const backup = { id: createId(), version: formatVersion, label, createdAt: timestamp(work.now) };
  await insertBackup(work, backup);
  const sections: BackupSectionRecord[] = [];
  for (const section of names) {
    let position = 0;
    const keep = (chunk: BackupChunk) =>
      insertBackupChunk(work, { ...chunk, backupId: backup.id, section, position: position++ });
    sections.push(await takeSnapshot(work, section, keep));
  }
  await insertBackupSections(work, backup.id, sections);
  return backup;
}

/** Checks every section before anything is written. */
async function selectSections(
  work: Work,
  backup: BackupRecord,
  names: readonly SectionName[],
): Promise<[SectionName, BackupSectionRecord][]> {
  const sections = await listBackupSections(work, backup.id);
  const selected: [SectionName, BackupSectionRecord][] = [];
  const missing: FieldError[] = [];
  for (const [index, name] of names.entries()) {
    const section = sections.find((candidate) => candidate.name === name);
    if (section) selected.push([name, section]);
    else
      missing.push({ pointer: `/sections/${index}`, code: 'not_in_backup', detail: 'is not in this backup' });
  }
  if (missing.length > 0) throw invalidFields(missing);

  const damaged: string[] = [];
  for (const [name, section] of selected) {
    if (!(await isIntact(name, section, readBackupChunks(work, backup.id, name)))) damaged.push(name);
  }
  if (damaged.length > 0) {
    const detail = `These sections are damaged or of another version: ${damaged.join(', ')}. Nothing was changed.`;
    throw new ServiceError('state_conflict', detail);
  }
  return selected;
}
