import { asObject } from '../../base/json.ts';
import { valueOrNone } from '../../cli/output/describe-changes.ts';
import type { Tone } from '../../cli/output/labels.ts';
import { labelOf } from '../../cli/output/labels.ts';

/** A row of plain text. */
type TextRow = readonly [label: string, value: string, tone?: Tone];

/** What a restore of sections would change now, by `backup.show`: a row for each field, and one each for posts and endpoints. */
export function rowsOfRestoring(restoring: unknown, sections?: readonly string[]): TextRow[] {
  return Object.entries(asObject(restoring))
    .filter(([section]) => sections?.includes(section) ?? true)
    .flatMap(([section, change]): TextRow[] => rowsOfSection(section, asObject(change)));
}

function rowsOfSection(section: string, change: Readonly<Record<string, unknown>>): TextRow[] {
  const title = sectionLabel(section);
  if (change.slugTaken === true)
    return [[title, 'another store has its slug now, so the service refuses to restore it', 'red']];
  if (!Array.isArray(change.changed)) return [[title, describeCounts(change)]];
  if (change.changed.length === 0) return [[title, 'unchanged']];
  return change.changed.map(asObject).map((field): TextRow => {
    const path = String(field.path).split('.');
    const name = path.at(-1) ?? '';
    if (!('from' in field) && !('to' in field)) return [labelOf(path), 'changes'];
    return [labelOf(path), `${valueOrNone(name, field.from)} → ${valueOrNone(name, field.to)}`];
  });
}

/** `Posts` for the section `blog`. */
export function sectionLabel(section: string): string {
  return section === 'blog' ? 'Posts' : labelOf([section]);
}

/** `3 removed, 12 brought back`. */
export function describeCounts({ removed, returned }: Readonly<Record<string, unknown>>): string {
  const counts = Object.entries({ removed, 'brought back': returned }).filter(
    ([, count]) => typeof count === 'number' && count !== 0,
  );
  return counts.map(([word, count]) => `${count} ${word}`).join(', ') || 'unchanged';
}
