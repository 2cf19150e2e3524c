import { isSameValue, leafPaths, textAt, valueAt } from '../../base/json.ts';
import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import type { Session } from '../../cli/command/session.ts';
import { CliError, cancelledError } from '../../cli/core/errors.ts';
import { dottedPath, mergeObjects } from '../../cli/core/field-path.ts';
import { joined, line, type Printable } from '../../cli/core/sanitize.ts';
import { isKnownPath, refuseMistyped } from '../../cli/input/unknown-fields.ts';
import type { OperationInput, WhatChanges } from '../../cli/operation/call/operation-input.ts';
import { describeOperation } from '../../cli/operation/call/operation-options.ts';
import {
  type ChangeOptions,
  newRun,
  type Result,
  type ResultView,
  type Run,
} from '../../cli/operation/call/run.ts';
import { confirm } from '../../cli/operation/confirm.ts';
import { readInput } from '../../cli/operation/read-input.ts';
import { errorOfRun, resultOfChange } from '../../cli/operation/result/expect-applied.ts';
import { printDryRun, printResult } from '../../cli/operation/result/print-result.ts';
import { announce } from '../../cli/operation/send/announce.ts';
import { findChangeInDoubt, noticeNoChanges } from '../../cli/operation/send/no-changes.ts';
import { send, sendChange } from '../../cli/operation/send/send.ts';
import { type CurrentDocument, tryReadDocument } from '../../cli/operation/send/try-read-document.ts';
import { untilAccepted } from '../../cli/operation/until-accepted.ts';
import { drawRecord, rowsOfSeenChanges, valueOrNone } from '../../cli/output/describe-changes.ts';
import { labelOf } from '../../cli/output/labels.ts';
import type { Row } from '../../cli/output/tables.ts';
import { agrees } from '../../cli/prompts/ask-or-fail.ts';
import { showStore, updateStore } from '../../contract/operations/store.ts';
import {
  changedBetween,
  isMoved,
  isSeen,
  lastSeen,
  maxSent,
  replacedValues,
  type SeenDocument,
  shownNow,
} from '../../history/changes/replaced-values.ts';

const input: OperationInput = { operation: updateStore, hints: { flatten: 'settings' } };

export const command: CommandDefinition = {
  ...describeOperation(input),
  description: `Update the store. Only the fields that you set are changed. --set FIELD=null clears a field;
--set settings.socials.discord=null removes a social profile.
Flags omit the prefix "settings." (--cashback-bp); --set needs it (settings.cashbackBp=250).`,
  examples: [
    'store update --name "Juniper & Ink" --cashback-bp 250',
    'store update --checkout-coupon-field --social discord=https://discord.gg/example',
    'store update --set settings.maintenanceMessage=null',
  ],
  async run(call) {
    const run = await readInput(call, input, { whatChanges });
    if (call.session.flags.dryRun) return printDryRun(run, { preview: () => preview(run) });
    await announce(run);
    const result = await untilAccepted(run, () => confirmAndUpdate(run));
    return printResult(run, updatedView, result);
  },
};

const whatChanges: WhatChanges = {
  example: '--name "My store"',
  canClear: ([first, ...rest]) => first === 'settings' && rest.length === 1,
  async read({ ui, session, parsed }) {
    const target = await session.connect();
    const request = { operation: showStore, parameters: {}, body: null };
    const current = await tryReadDocument(newRun({ ui, session, parsed }, target, request), showStore);
    const seen = current === null ? await lastSeenStore(session) : shownNow(current.document);
    return { current: { ...seen?.document }, isSeen: (path) => seen?.valueAt(path) !== undefined };
  },
};

const updatedView: ResultView = {
  done({ response }) {
    const name = textAt(response, ['name']);
    return name === null ? 'Updated the store' : `Updated store "${name}"`;
  },
  // If both streams are a terminal, the user has seen the values before they were sent.
  show({ response }, run) {
    const { out, err } = run.ui;
    if (out.width !== null && err.width !== null) return [];
    const { rows, others } = rowsOfUpdate(run, null, response);
    return [...rows, ...others];
  },
};

/** The new values beside the present ones, as {@link confirmAndUpdate} shows them. */
async function preview(run: Run): Promise<Printable> {
  const { seen } = await readPresent(run);
  return drawUpdate(run, seen, mergeObjects({ ...seen?.document }, run.request.body ?? {}));
}

/** The store as the service has it, or else as this machine has seen it last. */
async function readPresent(run: Run) {
  const current = await tryReadDocument(run, showStore);
  return { current, seen: current === null ? await lastSeenStore(run.session) : shownNow(current.document) };
}

/**
 * Shows the new values beside the present ones, or else beside those that this machine has seen last. Offers a backup if the update
 * cannot be undone.
 */
async function confirmAndUpdate(run: Run): Promise<Result> {
  const { request } = run;
  const { current, seen } = await readPresent(run);
  // Only a store that was read shows which fields it has.
  if (current !== null)
    refuseMistyped(updateStore.body, request.body ?? {}, current.document, 'a field of the store');
  if (current !== null && changesNothing(request.body, current)) {
    const changeInDoubt = await findChangeInDoubt(run, request);
    noticeNoChanges(run, changeInDoubt);
    const { document, text, ifMatch } = current;
    if (changeInDoubt === null) return { response: document, text, etag: ifMatch, record: null };
  }
  const { offerBackup } = isSeen(seen, request.body) ? {} : await import('../backup/for-others.ts');
  const safetyBackupId = await offerBackup?.(run);
  const shown = await drawUpdate(run, seen, mergeObjects({ ...seen?.document }, request.body ?? {}));
  await confirm(run, { question: 'Update the store with these values?', shown, alwaysShow: true });
  return sendUpdate(run, current, { safetyBackupId });
}

/** Whether the store has all values of the update. Only a response with an ETag, of a service that applies keys once, says so. */
function changesNothing(body: unknown, { document, ifMatch }: CurrentDocument): boolean {
  const isSet = (path: readonly string[]) => isSameValue(valueAt(document, path), valueAt(body, path));
  return ifMatch !== null && leafPaths(body).every(isSet);
}

/**
 * Sends the update, with `If-Match` where the service takes it. If the store has changed since it was read, the store is read again. If
 * others have changed none of the fields of the update, a new update is sent, {@link maxSent} times at most. Otherwise a terminal shows
 * those fields and asks, and a script ends with exit 6. A process that is killed before the new update leaves one that was refused.
 */
async function sendUpdate(
  run: Run,
  current: CurrentDocument | null,
  options: ChangeOptions,
  sent = 1,
): Promise<Result> {
  if (current === null) return send(run, options);
  const { document, keyOfRead, ifMatch } = current;
  const { body } = run.request;
  const replaced = replacedValues(shownNow(document), body);
  const changed = await sendChange(run, { ...options, replaced, keyOfRead, ifMatch });
  const { outcome, record } = changed;
  const hasMoved = ifMatch !== null && isMoved(outcome);
  const now = hasMoved ? await tryReadDocument(run, showStore) : null;
  if (!hasMoved || now === null || now.ifMatch === null) return resultOfChange(run, changed);
  const moved = changedBetween(document, now.document, run.request);
  if (moved.length > 0) {
    await agreeToMoved(run, now, moved, errorOfRun(run, outcome, record));
    // A new yes of the user is a new update, so the count begins again.
    return sendUpdate(run, now, options);
  }
  return sent === maxSent ? resultOfChange(run, changed) : sendUpdate(run, now, options, sent + 1);
}

/** Asks whether to replace values that others have set meanwhile. Throws exit 6 without a terminal, and exit 130 for a no. */
async function agreeToMoved(
  run: Run,
  { document }: CurrentDocument,
  moved: readonly (readonly string[])[],
  error: CliError,
): Promise<void> {
  const { ui } = run;
  const message = `${moved.map((path) => labelOf(path)).join(', ')} changed since the store was read`;
  if (!ui.canAsk) {
    const next = [{ say: 'run the command again to replace the present values' }];
    throw new CliError({ ...error.failure, code: 'changed_since', what: message, next });
  }
  ui.notice(line`Warning: ${message}.`, 'yellow');
  const values = mergeObjects({ ...document }, run.request.body ?? {});
  ui.notice(await drawUpdate(run, shownNow(document), values));
  if (!(await agrees(ui, 'Replace the present values?'))) throw cancelledError();
}

/** The fields of the request as `store` has them, as text. */
async function drawUpdate(run: Run, seen: SeenDocument | null, store: unknown): Promise<Printable> {
  const { err } = run.ui;
  const { rows, others } = rowsOfUpdate(run, seen, store);
  const blocks = [
    ...(rows.length === 0 ? [] : [await drawRecord(rows, err)]),
    ...(others.length === 0
      ? []
      : [joined([line`Not fields that storectl knows:`, await drawRecord(others, err)], '\n')]),
  ];
  return joined(blocks, '\n\n');
}

/** The same as rows; fields that neither the contract nor the store has, apart, are named by their paths. */
function rowsOfUpdate(
  { request }: Run,
  seen: SeenDocument | null,
  store: unknown,
): { readonly rows: Row[]; readonly others: Row[] } {
  const values = { currency: textAt(store, ['defaultCurrency']) };
  const isKnown = (path: readonly string[]) =>
    isKnownPath(updateStore.body, path) || valueAt(seen?.document, path) !== undefined;
  const paths = leafPaths(request.body);
  const changes = paths.filter(isKnown).map((path) => ({
    path,
    before: seen?.valueAt(path),
    after: valueAt(store, path),
  }));
  const others = paths
    .filter((path) => !isKnown(path))
    .map((path): Row => [dottedPath(path), valueOrNone(path.at(-1) ?? '', valueAt(store, path), values)]);
  return { rows: rowsOfSeenChanges(changes, values, seen?.seenAt ?? null), others };
}

/** The store as this machine has seen it last, or null. */
async function lastSeenStore(session: Session): Promise<SeenDocument | null> {
  return lastSeen(
    updateStore.id,
    (await session.history()).snapshot().usable({ concerning: [updateStore.id] }),
  );
}
