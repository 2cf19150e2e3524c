import { asObject, leafPaths } from '../../base/json.ts';
import type { Session } from '../../cli/command/session.ts';
import { demoProfile } from '../../cli/config/connection-settings.ts';
import { getPath, mergeObjects, textAt } from '../../cli/core/field-path.ts';
import type { Preview } from '../../cli/operation/call/operation-command.ts';
import type { Run } from '../../cli/operation/call/run.ts';
import { operationCommand } from '../../cli/operation/define-operation.ts';
import { send } from '../../cli/operation/send/send-run.ts';
import { drawRecord, rowsOfSeenChanges } from '../../cli/output/describe-changes.ts';
import type { Row } from '../../cli/output/tables.ts';
import { updateStore } from '../../contract/operations/store.ts';
import { formerValues, isSeen, lastSeen, type SeenDocument } from '../../history/changes/former.ts';

export const command = operationCommand({
  operation: updateStore,
  description: `Update the store. Only the fields that you set are changed. --set FIELD=null clears a field;
--set settings.socials.discord=null removes a social profile.
Flags omit the prefix "settings." (--cashback-bp); --set needs it (settings.cashbackBp=250).`,
  examples: [
    'store update --name "Juniper & Ink" --cashback-bp 250',
    'store update --checkout-coupon-field --social discord=https://discord.gg/example',
    'store update --set settings.maintenanceMessage=null',
  ],
  question: 'Update the store with these values?',
  hints: { flatten: 'settings' },
  whatChanges: {
    example: '--name "My store"',
    canClear: ([first, ...rest]) => first === 'settings' && rest.length === 1,
    async read({ session }) {
      const seen = await lastSeenStore(session);
      return { current: { ...seen?.document }, isSeen: (path) => seen?.valueAt(path) !== undefined };
    },
  },
  preview: previewUpdate,
  done({ answer }) {
    const name = textAt(answer, ['name']);
    return name === null ? 'Updated the store' : `Updated store "${name}"`;
  },
  // A terminal has shown it before it was sent.
  show: ({ answer }, run) => (run.ui.canAsk ? [] : rowsOfUpdate(run, null, answer)),
});

/** Shows the new values beside those that this machine has seen last. Offers a backup if there is no way back. */
async function previewUpdate(run: Run): Promise<Preview> {
  const { request, session, ui } = run;
  const seen = await lastSeenStore(session);
  const rows = rowsOfUpdate(run, seen, mergeObjects({ ...seen?.document }, request.body ?? {}));
  const { offerBackup } = isSeen(seen, request.body)
    ? {}
    : await import('../../cli/operation/send/offer-backup.ts');
  const safetyBackupId = await offerBackup?.(run);
  const former = seen?.seenAt === null ? formerValues(seen, request.body) : undefined;
  const text = await drawRecord(rows, ui.err);
  return { text, isNews: true, send: () => send(run, { former, safetyBackupId }) };
}

/** The fields of the request as `store` has them. */
function rowsOfUpdate({ request }: Run, seen: SeenDocument | null, store: unknown): Row[] {
  const changes = leafPaths(request.body).map((path) => ({
    path,
    before: seen?.valueAt(path),
    after: getPath(store, path),
  }));
  return rowsOfSeenChanges(changes, { currency: textAt(store, ['defaultCurrency']) }, seen?.seenAt ?? null);
}

/** The store as this machine has seen it last, or null. */
async function lastSeenStore(session: Session): Promise<SeenDocument | null> {
  if ((await session.settings()).profile !== demoProfile)
    return lastSeen(updateStore.id, (await session.history()).list().records);
  // The service of the demo runs in this process.
  const document = asObject((await session.demo()).example.store);
  return { document, seenAt: null, valueAt: (path) => getPath(document, path) ?? null };
}
