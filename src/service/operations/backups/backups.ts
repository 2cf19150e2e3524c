import * as z from 'zod';
import { maxLabelLength, sectionNames } from '../../../contract/operations/backups.ts';
import { firstCodePoints } from '../../model/code-points.ts';
import { notFound, validationFailed } from '../../model/errors.ts';
import { distinct, filledLine, idempotencyKey } from '../../model/field-schemas.ts';
import { createId } from '../../model/ids.ts';
import { timestamp } from '../../model/time.ts';
import { insert } from '../../storage/core/statement.ts';
import { findBackup } from '../../storage/queries/backups.ts';
import { recordEvent } from '../record-event.ts';
import type { Work } from '../unit-of-work.ts';
import { type SectionName, storeSections } from './sections.ts';

/** Of backups as a whole. */
const formatVersion = 1;

const someSections = () =>
  distinct(z.enum(sectionNames), sectionNames.length).min(1, 'must contain at least one section');

/** Body of `backup.create`. */
export const newBackup = z.strictObject({
  label: filledLine(maxLabelLength),
  sections: someSections(),
  idempotencyKey: idempotencyKey(),
});

/** Body of `backup.restore`. */
export const newRestore = z.strictObject({ sections: someSections(), idempotencyKey: idempotencyKey() });

/** `backup.create`. What it costs does not depend on how many posts the store has. */
export async function createBackup(work: Work, { label, sections }: z.output<typeof newBackup>) {
  const backup = await backUp(work, label, sections, false);
  await recordEvent(work, 'backup_created', { backupId: backup.id, label, sections });
  return backup;
}

/**
 * `backup.restore`: restores all the sections or none, after a backup of their current content. Throws `validation_failed` for a
 * section that is not in the backup.
 */
export async function restoreBackup(work: Work, backupId: string, { sections }: z.output<typeof newRestore>) {
  const backup = await findBackup(work, backupId);
  if (backup === undefined) throw notFound('Backup', backupId);
  const detail = `must be a section of this backup: ${backup.sections.join(', ')}`;
  const missing = sections.flatMap((name, index) =>
    backup[name] === null ? [{ pointer: `/sections/${index}`, code: 'not_in_backup', detail }] : [],
  );
  if (missing.length > 0) throw validationFailed(missing);

  const label = firstCodePoints(`Automatic backup before restore of ${backup.label}`, maxLabelLength);
  const { id: preRestoreBackupId } = await backUp(work, label, sections, true);
  const changes: Partial<Record<SectionName, object>> = {};
  for (const name of sections) {
    const content = backup[name];
    if (content !== null) changes[name] = await storeSections[name].restore(work, content);
  }
  await recordEvent(work, 'backup_restored', { backupId, preRestoreBackupId, sections });
  return { backupId, preRestoreBackupId, sections: changes };
}

async function backUp(work: Work, label: string, sections: readonly SectionName[], isPreRestore: boolean) {
  const backup = { id: createId(), version: formatVersion, label, sections, createdAt: timestamp(work.now) };
  const content: Record<SectionName, string | null> = {
    store: null,
    blog: null,
    settings: null,
    endpoints: null,
  };
  for (const name of sections) content[name] = await storeSections[name].copy(work);
  await insert(work, 'backups', { ...backup, ...content, isPreRestore });
  return backup;
}
