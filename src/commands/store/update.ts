import { isObject, leafPaths } from '../../base/json.ts';
import type { Session } from '../../cli/command/session.ts';
import { demoProfile } from '../../cli/config/connection-settings.ts';
import { getPath, mergeObjects, setPath, textAt } from '../../cli/core/field-path.ts';
import type { Preview } from '../../cli/operation/call/operation-command.ts';
import type { Run } from '../../cli/operation/call/run.ts';
import { operationCommand } from '../../cli/operation/define-operation.ts';
import { send } from '../../cli/operation/send/send-run.ts';
import { drawRecord, rowsOfSeenChanges } from '../../cli/output/describe-changes.ts';
import { answerBody } from '../../cli/output/record-summary.ts';
import type { Row } from '../../cli/output/tables.ts';
import { updateStore } from '../../contract/operations/store.ts';
import { isInDoubt } from '../../history/journal/history-record.ts';
import { overlap, touchesOf } from '../../history/operation-rules.ts';

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
    read: async ({ session }) => ({ ...(await lastSeenStore(session))?.fields }),
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
  const rows = rowsOfUpdate(run, seen, mergeObjects(seen?.fields ?? {}, request.body ?? {}));
  if (seen === null) {
    const { offerBackup } = await import('../../cli/operation/send/offer-backup.ts');
    await offerBackup(run);
  }
  const former = seen?.seenAt === null ? formerOf(run, seen) : undefined;
  return { text: await drawRecord(rows, ui.err), isNews: true, send: () => send(run, { former }) };
}

/** JSON of the values that are replaced, where they were read right now. */
function formerOf({ request }: Run, { fields }: SeenStore): string {
  const former = {};
  for (const path of leafPaths(request.body)) setPath(former, path, getPath(fields, path) ?? null);
  return JSON.stringify(former);
}

/** The fields of the request as `store` has them. */
function rowsOfUpdate({ request }: Run, seen: SeenStore | null, store: unknown): Row[] {
  const changes = leafPaths(request.body).map((path) => ({
    path,
    before: seen === null ? undefined : (getPath(seen.fields, path) ?? null),
    after: getPath(store, path),
  }));
  const values = { currency: textAt(store, ['defaultCurrency']) };
  return rowsOfSeenChanges(changes, values, seen?.seenAt ?? null);
}

/** The store as this machine has seen it last. */
export interface SeenStore {
  readonly fields: Readonly<Record<string, unknown>>;
  /** ISO 8601; null for the demo store, which was read right now. */
  readonly seenAt: string | null;
}

/**
 * The store as the newest update from this machine left it, or null if that is unknown or something else may have changed it
 * since. The service has no operation that reads the store.
 */
export async function lastSeenStore(session: Session): Promise<SeenStore | null> {
  // The service of the demo runs in this process.
  if ((await session.settings()).profile === demoProfile)
    return { fields: { ...(await session.demo()).example.store }, seenAt: null };
  const { records } = (await session.history()).list();
  const newest = records.find(
    (record) => overlap(touchesOf(record), ['store']) && (record.state === 'applied' || isInDoubt(record)),
  );
  if (newest?.operation !== updateStore.id || newest.state !== 'applied') return null;
  const fields = answerBody(newest);
  return isObject(fields) ? { fields, seenAt: newest.response?.receivedAt ?? newest.updatedAt } : null;
}
