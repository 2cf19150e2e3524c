import type { Context } from '../../cli/command/context.ts';
import { getPath, parsePath } from '../../cli/core/field-path.ts';
import { type Change, changesBetween } from '../../cli/core/json-changes.ts';
import { isObject } from '../../cli/core/json-value.ts';
import type { ResultView } from '../../cli/operation/run/operation-command.ts';
import type { Style } from '../../cli/output/style.ts';
import { clientFields } from './settings-diff.ts';

/** How saved settings are shown: only what changed. */
export const savedView = {
  done: () => 'Saved the operations settings',
  show: ({ answer, record }, { ui: { context } }) => {
    if (record === null || record.former === null || !isObject(answer)) return '';
    const changes = changesBetween(clientFields(JSON.parse(record.former)), clientFields(answer));
    return describeLabelled(changes, context, context.out);
  },
  id: (answer) => getPath(answer, ['storeId']),
} satisfies ResultView;

/** The changes with labels instead of paths: `Quiet hours start  22:00 → 23:00`. */
export async function describeLabelled(
  changes: readonly Change[],
  { now }: Pick<Context, 'now'>,
  style: Style,
): Promise<string> {
  const { describeFieldChanges } = await import('../../cli/output/describe-changes.ts');
  const fields = changes
    .flatMap(leavesOf)
    .map(({ path, ...values }) => ({ path: parsePath(path), ...values }));
  return describeFieldChanges(fields, { now: now(), currency: null }, style);
}

/** The fields of an object that is new or gone, such as a template. */
function leavesOf(change: Change): Change[] {
  const { path, before, after } = change;
  const isWhole = isObject(before ?? {}) && isObject(after ?? {});
  const leaves = isWhole ? changesBetween(before ?? {}, after ?? {}, path) : [];
  return leaves.length === 0 ? [change] : leaves;
}
