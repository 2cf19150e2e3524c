import * as z from 'zod';
import { sectionNames } from '../../../contract/operations/backups.ts';
import { firstCodePoints } from '../../model/code-points.ts';
import { type FieldError, invalidFields, notFound, ServiceError } from '../../model/errors.ts';
import { distinct, filledText, idempotencyKey } from '../../model/field-schemas.ts';
import {
  type BackupSectionRecord,
  findBackup,
  listBackupSections,
  readBackupChunks,
} from '../../storage/queries/backups.ts';
import { switchPostTables } from '../../storage/queries/posts.ts';
import type { LongWork } from '../idempotency.ts';
import { recordEvent } from '../record-event.ts';
import type { Work } from '../unit-of-work.ts';
import { beginCopy, type Copy, copySections, finishCopy, formatVersion, withCopy } from './copy.ts';
import { findRest, isIntact, type Rest, restoreRest, type SectionName } from './sections.ts';
import { stageBlog, withoutUnusedPosts } from './staged-blog.ts';

/** Of backups as a whole, oldest first. Each section has its own version. */
const formatVersions = [1, formatVersion];

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

/** Operation 8. All sections are read in one snapshot, so they are consistent. */
export async function createBackup(work: LongWork, { label, sections }: z.output<typeof newBackup>) {
  return withCopy(work, label, sections, (copy) =>
    work.finish(async (final) => {
      await finishCopy(final, copy);
      await recordEvent(final, 'backup_created', { backupId: copy.backup.id, label, sections });
      return { ...copy.backup, sections };
    }),
  );
}

/**
 * Operation 9: restores all the sections or none, after a backup of their current content. What a section and its backup
 * begin with alike is not written again: posts are only ever added, so that is nearly everything. On the embedded engine
 * many other posts are written beside those of the store, in steps. Throws
 * `validation_failed` for a section that is not in the backup, and `state_conflict` for a damaged section or a backup of
 * another version.
 */
export async function restoreBackup(
  work: LongWork,
  backupId: string,
  { sections }: z.output<typeof newRestore>,
) {
  const checked = await checkBackup(work, backupId, sections, work.isInSteps);
  const staged = checked.selected.find(({ rest }) => rest.isStaged);
  return withCopy(work, checked.beforeLabel, sections, (copy) => {
    const finish = () =>
      work.finish(async (final, isFresh) => {
        if (isFresh) return restore(final, backupId, checked.selected, copy);
        const { selected, beforeLabel } = await checkBackup(final, backupId, sections, false);
        const recent = beginCopy(final, beforeLabel);
        await copySections(final, (write) => write(final.db), recent, sections);
        return restore(final, backupId, selected, recent);
      });
    if (staged === undefined) return finish();
    return withoutUnusedPosts(work, async () => {
      await stageBlog(work, backupId, staged.section.sha256);
      return finish();
    });
  });
}

async function restore(work: Work, backupId: string, selected: readonly SelectedSection[], before: Copy) {
  await finishCopy(work, before);
  for (const { name, rest } of selected) {
    if (rest.isStaged) await switchPostTables(work);
    else await restoreRest(work, name, rest, (from) => readBackupChunks(work, backupId, name, from));
  }
  const preRestoreBackupId = before.backup.id;
  const sections = selected.map(({ name }) => name);
  await recordEvent(work, 'backup_restored', { backupId, preRestoreBackupId, sections });
  return {
    backupId,
    preRestoreBackupId,
    sections: Object.fromEntries(
      selected.map(({ name, section: { itemCount, sha256 } }) => [name, { count: itemCount, sha256 }]),
    ),
  };
}

interface SelectedSection {
  readonly name: SectionName;
  readonly section: BackupSectionRecord;
  readonly rest: Rest;
}

/** Checks the backup and every section before anything is written, and finds what has to be written. */
async function checkBackup(work: Work, backupId: string, names: readonly SectionName[], canStage: boolean) {
  const backup = await findBackup(work, backupId);
  const sections = await listBackupSections(work, backupId);
  if (backup === undefined || sections.length === 0) throw notFound('Backup', backupId);
  if (!formatVersions.includes(backup.version)) {
    const detail = `Backup version ${backup.version} is not supported (supported: ${formatVersions.join(' and ')}).`;
    throw new ServiceError('state_conflict', detail);
  }
  const found: { readonly name: SectionName; readonly section: BackupSectionRecord }[] = [];
  const missing: FieldError[] = [];
  for (const [index, name] of names.entries()) {
    const section = sections.find((candidate) => candidate.name === name);
    if (section) found.push({ name, section });
    else {
      const detail = `must be a section of this backup: ${sections.map((own) => own.name).join(', ')}`;
      missing.push({ pointer: `/sections/${index}`, code: 'not_in_backup', detail });
    }
  }
  if (missing.length > 0) throw invalidFields(missing);

  const damaged: string[] = [];
  const selected: SelectedSection[] = [];
  for (const { name, section } of found) {
    const readChunks = (from: number) => readBackupChunks(work, backup.id, name, from);
    if (!(await isIntact(name, section, readChunks(0)))) damaged.push(name);
    else if (damaged.length === 0)
      selected.push({ name, section, rest: await findRest(work, name, section, readChunks, canStage) });
  }
  if (damaged.length > 0) {
    const detail = `These sections are damaged or of another version: ${damaged.join(', ')}. Nothing was changed.`;
    throw new ServiceError('state_conflict', detail);
  }
  return {
    selected,
    beforeLabel: firstCodePoints(`Automatic backup before restore of ${backup.label}`, maxLabel),
  };
}
