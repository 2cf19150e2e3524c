import { getPath, setPath, textAt } from '../../cli/core/field-path.ts';
import { operationCommand } from '../../cli/operation/define-operation.ts';
import { askWhatChanges } from '../../cli/operation/questions/nothing-to-change.ts';
import type { PreparedInput } from '../../cli/operation/run/operation-command.ts';
import type { Performed, Run } from '../../cli/operation/run/run.ts';
import { perform } from '../../cli/operation/run/send.ts';
import { readUndoable, undoCommandOf, undoneId, undoOption } from '../../cli/operation/run/undo.ts';
import { updateStore } from '../../contract/operations/store.ts';
import { lastKnownStore } from './last-known-store.ts';

const askChanges = askWhatChanges('--name "My store"', async ({ context }) => {
  return (await lastKnownStore(context)) ?? {};
});

export const command = operationCommand({
  operation: updateStore,
  description: `Update the store. Only the fields you give change. --set FIELD=null clears a field;
--set settings.socials.discord=null removes a social profile.
Flags omit the prefix "settings." (--cashback-bp); --set needs it (settings.cashbackBp=250).
--undo restores the values from before an earlier update, if this machine knew them.`,
  examples: [
    'store update --name "Juniper & Ink" --cashback-bp 250',
    'store update --checkout-coupon-field --social discord=https://discord.gg/example',
    'store update --set settings.maintenanceMessage=null',
    'store update --undo 7k3f9a',
  ],
  options: [undoOption],
  question: 'Update the store with these values?',
  hints: { flatten: 'settings' },
  prepare: async (body, input) => {
    const id = undoneId(input.parsed, body);
    if (id === undefined) return askChanges(body, input);
    await restoreFormerFields(body, input, id);
    return null;
  },
  perform: updateAndRemember,
  done: ({ answer }) => `Updated store "${String(getPath(answer, ['name']))}"`,
  show: describeUpdate,
});

/** Sets the fields of an earlier update to their values from before it. A missing value is cleared with null. */
async function restoreFormerFields(
  body: Record<string, unknown>,
  { context }: PreparedInput,
  id: string,
): Promise<void> {
  const { record, former } = await readUndoable(context, updateStore, id);
  const { leafPaths } = await import('../../cli/output/describe-changes.ts');
  for (const path of leafPaths(JSON.parse(record.body ?? '{}'))) {
    setPath(body, path, getPath(former, path) ?? null);
  }
}

/** Keeps the last known store in the record, to show what changed and to undo it. */
async function updateAndRemember(run: Run): Promise<Performed> {
  const known = await lastKnownStore(run.ui.context);
  const performed = await perform(run, { former: known === null ? undefined : JSON.stringify(known) });
  return {
    ...performed,
    undo: performed.record === null ? undefined : (undoCommandOf(performed.record) ?? null),
  };
}

/** The fields that were sent: before and after if this machine knew the store, else the new values. */
async function describeUpdate({ answer, record }: Performed, { request, ui }: Run): Promise<string> {
  const { describeFieldChanges, leafPaths } = await import('../../cli/output/describe-changes.ts');
  const { context } = ui;
  const former: unknown = record?.former == null ? null : JSON.parse(record.former);
  const values = { now: context.now(), currency: textAt(answer, ['defaultCurrency']) };
  const changes = leafPaths(request.body ?? {}).map((path) => ({
    path,
    before: getPath(former, path),
    after: getPath(answer, path),
    isBeforeKnown: former !== null,
  }));
  return describeFieldChanges(
    changes.filter(({ before, after, isBeforeKnown }) => !isBeforeKnown || before !== after),
    values,
    context.out,
  );
}
