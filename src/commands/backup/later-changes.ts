import { asObject, valueAt } from '../../base/json.ts';
import { line, type Printable } from '../../cli/core/sanitize.ts';
import { labelOf } from '../../cli/output/labels.ts';
import { recordSummary } from '../../cli/output/record-summary.ts';
import { type HistoryRecord, receivedBody } from '../../history/record/history-record.ts';

/** A restore that is undone, and the later changes of this machine in the same sections. */
export interface UndoneRestore {
  readonly record: HistoryRecord;
  readonly later: readonly HistoryRecord[];
}

/**
 * Warns of what was changed after a restore, and goes with it when it is undone; null if nothing is known. `restoring` is what the
 * service says that the undo would change, or null if it cannot be asked.
 */
export function describeLater(
  { record, later }: UndoneRestore,
  restoring: unknown,
  sections: readonly string[],
): Printable | null {
  const made = asObject(valueAt(receivedBody(record), ['sections']));
  const found = sections.flatMap((section) =>
    laterIn(section, asObject(valueAt(restoring, [section])), asObject(made[section])),
  );
  const own = later.map((one) => {
    const { id, operation, age } = recordSummary(one);
    return `${id} (${operation}, ${age})`;
  });
  const parts = [
    ...(found.length === 0 ? [] : [found.join(', ')]),
    ...(own.length === 0 ? [] : [`from this machine: ${own.join(', ')}`]),
  ];
  if (parts.length === 0) return null;
  return line`Warning: this also takes back what was changed since the restore: ${parts.join('; ')}.`;
}

/** What the undo changes in a section beyond what the restore has changed there. */
function laterIn(
  section: string,
  undoing: Readonly<Record<string, unknown>>,
  made: Readonly<Record<string, unknown>>,
): string[] {
  if (Array.isArray(undoing.changed) && Array.isArray(made.changed)) {
    const restored = made.changed.map(String);
    const paths = undoing.changed.map((field) => String(asObject(field).path));
    return paths.filter((path) => !restored.includes(path)).map((path) => labelOf(path.split('.')));
  }
  // What the restore brought back is removed again, and the other way round.
  const more = Number(undoing.removed ?? 0) - Number(made.returned ?? 0);
  if (!(more > 0) || made.returned === undefined) return [];
  const noun = section === 'blog' ? 'post' : section.replace(/s$/, '');
  return [`${more} ${noun}${more === 1 ? '' : 's'} made since`];
}
