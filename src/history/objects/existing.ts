import { asObject, parseJson } from '../../base/json.ts';
import type { HistoryRecord } from '../journal/history-record.ts';

/** The section of a backup that holds what an operation creates. */
const sectionOf: Readonly<Partial<Record<string, string>>> = {
  'blog.create': 'blog',
  'notify.add-endpoint': 'endpoints',
};

/**
 * Tells whether something that was created is still there, by the restores among these records of its store: what was made
 * after the backup that a later restore brought back is gone. Numbers say what came after what. Of a restore that may not have
 * been applied, or of a backup of another machine, nothing is concluded.
 */
export function existenceAfter(records: readonly HistoryRecord[]): (created: HistoryRecord) => boolean {
  const applied = records.filter(({ state }) => state === 'applied');
  const restores = applied
    .filter(({ operation }) => operation === 'backup.restore')
    .sort((one, other) => other.number - one.number);
  if (restores.length === 0) return () => true;
  const backups = new Map<unknown, number>();
  for (const { operation, response, number } of applied) {
    if (operation === 'backup.create') backups.set(asObject(parseJson(response?.body)).id, number);
  }

  return (created) => {
    const section = sectionOf[created.operation];
    /** Whether it was there once all changes before this number were made. */
    const existedBefore = (number: number): boolean => {
      if (created.number >= number) return false;
      const last = restores.find(
        (restore) =>
          restore.number < number && restore.number > created.number && hasSection(restore, section),
      );
      if (last === undefined) return true;
      const backup = backups.get(decodeURIComponent(last.path.split('/').at(-2) ?? ''));
      return backup === undefined || existedBefore(backup);
    };
    return existedBefore(Number.POSITIVE_INFINITY);
  };
}

function hasSection({ body }: HistoryRecord, section: string | undefined): boolean {
  const { sections } = asObject(parseJson(body));
  return Array.isArray(sections) && sections.includes(section);
}
