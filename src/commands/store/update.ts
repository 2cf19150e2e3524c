import { getPath, setPath, textAt } from '../../cli/core/field-path.ts';
import { sameJson } from '../../cli/core/json-changes.ts';
import { optionValue } from '../../cli/core/parsed-command.ts';
import { printable } from '../../cli/core/sanitize.ts';
import { operationCommand } from '../../cli/operation/define-operation.ts';
import { askWhatChanges } from '../../cli/operation/questions/nothing-to-change.ts';
import type { PreparedInput } from '../../cli/operation/run/operation-command.ts';
import type { Performed, Run } from '../../cli/operation/run/run.ts';
import { perform } from '../../cli/operation/run/send.ts';
import { flagsToReach } from '../../cli/operation/run/target-flags.ts';
import {
  confirmUndo,
  readUndoable,
  undoCommandOf,
  undoFlag,
  undoneId,
  undoOption,
} from '../../cli/operation/run/undo.ts';
import { answerBody, recordSummary } from '../../cli/output/record-summary.ts';
import type { Style } from '../../cli/output/style.ts';
import { createBackup, restoreBackup } from '../../contract/operations/backups.ts';
import { updateStore } from '../../contract/operations/store.ts';
import { isOpen } from '../../history/records/outline.ts';
import type { HistoryRecord } from '../../history/records/record.ts';
import { lastKnownStore } from './last-known-store.ts';

const askChanges = askWhatChanges({
  example: '--name "My store"',
  canClear: ([first, ...rest]) => first === 'settings' && rest.length === 1,
  read: async ({ context }) => (await lastKnownStore(context)) ?? {},
});

export const command = operationCommand({
  operation: updateStore,
  description: `Update the store. Only the fields that you set are changed. --set FIELD=null clears a field;
--set settings.socials.discord=null removes a social profile.
Flags omit the prefix "settings." (--cashback-bp); --set needs it (settings.cashbackBp=250).
--undo restores the values from before an earlier update, as far as this machine knew them.`,
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
  review: reviewUpdate,
  perform: updateAndRemember,
  done: async (performed, run) =>
    (await changedNothing(run, performed))
      ? null
      : `Updated store "${String(getPath(performed.answer, ['name']))}"`,
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
  const { context, parsed } = run.ui;
  const known = await lastKnownStore(context);
  const id = optionValue(parsed, undoFlag);
  if (id !== undefined && known !== null && !(await needsUndo(run, id, known))) {
    context.notice('The store already has these values; nothing was sent.');
    return { answer: known, text: JSON.stringify(known), etag: null, record: null };
  }
  const performed = await perform(run, { former: known === null ? undefined : JSON.stringify(known) });
  const { record } = performed;
  if (record === null) return performed;
  if (await changedNothing(run, performed)) {
    context.notice('No changes; the store already had these values.');
    return performed;
  }
  const undo = (await undoCommandOf(context, record)) ?? null;
  return { ...performed, undo, insteadOfUndo: undo === null ? await offerBackup(run) : undefined };
}

/** Whether this machine knew the values from before it, and the response shows the same. */
async function changedNothing({ request }: Run, { answer, record }: Performed): Promise<boolean> {
  if (record === null || record.former === null) return false;
  const former: unknown = JSON.parse(record.former);
  const { leafPaths } = await import('../../cli/output/describe-changes.ts');
  return leafPaths(request.body ?? {}).every((path) =>
    sameJson(getPath(former, path) ?? null, getPath(answer, path) ?? null),
  );
}

/** Compares the fields that an undo would set with the store as this machine knows it. */
async function needsUndo({ request, ui: { context } }: Run, id: string, known: unknown): Promise<boolean> {
  const { record, former, changed } = await readUndoable(context, updateStore, id);
  const { leafPaths } = await import('../../cli/output/describe-changes.ts');
  const fields = leafPaths(request.body).map((path) => ({
    path,
    former: getPath(former, path),
    changed: getPath(changed, path),
    now: getPath(known, path),
  }));
  return confirmUndo(context, record.id, fields);
}

/** The newest backup of the store section from this machine, unless restoring it would take back a later restore too. */
async function offerBackup({ ui: { context }, target }: Run): Promise<Performed['insteadOfUndo']> {
  const { origin, storeId } = target;
  const { records } = await (await context.history()).list({ origin, storeId });
  const made = records.find((record) => {
    const sections = record.state === 'applied' ? getPath(answerBody(record), ['sections']) : null;
    return record.operation === createBackup.id && Array.isArray(sections) && sections.includes('store');
  });
  // A restore in doubt may have been applied at any time.
  const isLaterRestore = (record: HistoryRecord) =>
    record.operation === restoreBackup.id &&
    (isOpen(record) || (record.state === 'applied' && record.updatedAt >= String(made?.createdAt)));
  if (made === undefined || records.some(isLaterRestore)) return undefined;
  const { label, age, result } = recordSummary(made, context.now());
  const flags = await flagsToReach(context, target);
  return {
    sentence: `Restoring backup "${printable(String(label))}" (${age}) undoes all changes to the store section since then:`,
    command: ['storectl', ...flags, 'backup', 'restore', result, '--sections', 'store'].join(' '),
  };
}

/** The fields that changed: before and after if this machine knew the store, else the new values. */
async function describeUpdate({ answer, record }: Performed, run: Run): Promise<string> {
  if (record === null) return '';
  const former: unknown = record.former === null ? null : JSON.parse(record.former);
  const isChanged = (path: readonly string[]) =>
    former === null || getPath(former, path) !== getPath(answer, path);
  return describeFields(run, former, answer, run.ui.context.out, isChanged);
}

/** The fields that would be sent, in the same way. */
async function reviewUpdate(run: Run): Promise<string> {
  const { context } = run.ui;
  const known = await lastKnownStore(context);
  const next = { defaultCurrency: known?.defaultCurrency, ...run.request.body };
  return describeFields(run, known, next, context.err, () => true);
}

async function describeFields(
  { request, ui }: Run,
  former: unknown,
  after: unknown,
  style: Style,
  isShown: (path: readonly string[]) => boolean,
): Promise<string> {
  const { describeFieldChanges, leafPaths } = await import('../../cli/output/describe-changes.ts');
  const values = { now: ui.context.now(), currency: textAt(after, ['defaultCurrency']) };
  const changes = leafPaths(request.body ?? {})
    .filter(isShown)
    .map((path) => ({
      path,
      before: getPath(former, path),
      after: getPath(after, path),
      isBeforeKnown: former !== null,
    }));
  return describeFieldChanges(changes, values, style);
}
