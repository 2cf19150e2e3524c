import { isObject, leafPaths } from '../../base/json.ts';
import type { Session } from '../../cli/command/session.ts';
import { demoProfile } from '../../cli/config/connection-settings.ts';
import { getPath, setPath, textAt } from '../../cli/core/field-path.ts';
import { sameJson } from '../../cli/core/json-changes.ts';
import type { Preview } from '../../cli/operation/call/operation-command.ts';
import type { Result, Run } from '../../cli/operation/call/run.ts';
import { operationCommand } from '../../cli/operation/define-operation.ts';
import { send } from '../../cli/operation/send/send-run.ts';
import type { SeenValue } from '../../cli/output/describe-changes.ts';
import { answerBody } from '../../cli/output/record-summary.ts';
import { updateStore } from '../../contract/operations/store.ts';
import { isInDoubt } from '../../history/journal/history-record.ts';
import { overlap, rulesOf } from '../../history/operation-rules.ts';

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
  done({ answer, changedNothing }) {
    if (changedNothing) return null;
    const name = textAt(answer, ['name']);
    return name === null ? 'Updated the store' : `Updated store "${name}"`;
  },
  show: describeUpdated,
});

/** Shows the new values beside those that this machine has seen last. Offers a backup if there is no way back. */
async function previewUpdate(run: Run): Promise<Preview> {
  const { ui, session } = run;
  const seen = await lastSeenStore(session);
  const { describeSeenChanges } = await import('../../cli/output/describe-changes.ts');
  const next = { defaultCurrency: seen?.fields.defaultCurrency, ...run.request.body };
  const text = describeSeenChanges(rowsOf(run, seen, next), valuesOf(next), seen?.seenAt ?? null, ui.err);
  if (seen === null) {
    const { offerBackup } = await import('../../cli/operation/send/offer-backup.ts');
    await offerBackup(run);
  }
  return { text, changesNothing: false, isNews: true, send: () => update(run, seen) };
}

async function update(run: Run, seen: SeenStore | null): Promise<Result> {
  const result = await send(run, { former: seen?.seenAt === null ? formerOf(run, seen) : undefined });
  const isSame = (path: readonly string[]) =>
    sameJson(getPath(seen?.fields, path) ?? null, getPath(result.answer, path) ?? null);
  // What was seen may have been changed by others, so only the demo store is known to have had these values.
  const changedNothing = seen?.seenAt === null && leafPaths(run.request.body).every(isSame);
  if (changedNothing) run.ui.notice('No changes; the store already had these values.');
  return { ...result, changedNothing };
}

/** JSON of the values that are replaced, where they were read right now. */
function formerOf({ request }: Run, { fields }: SeenStore): string {
  const former = {};
  for (const path of leafPaths(request.body)) setPath(former, path, getPath(fields, path) ?? null);
  return JSON.stringify(former);
}

/** The fields as the service has them now, with what was seen before. */
async function describeUpdated({ answer, changedNothing }: Result, run: Run): Promise<string> {
  // A terminal has shown it before it was sent.
  if (changedNothing || run.ui.canAsk) return '';
  const { describeSeenChanges } = await import('../../cli/output/describe-changes.ts');
  const { ui } = run;
  return describeSeenChanges(rowsOf(run, null, answer), valuesOf(answer), null, ui.out);
}

function rowsOf({ request }: Run, seen: SeenStore | null, next: unknown): SeenValue[] {
  return leafPaths(request.body).map((path) => ({
    path,
    value: getPath(next, path),
    ...(seen !== null && { seen: getPath(seen.fields, path) ?? null }),
  }));
}

function valuesOf(store: unknown) {
  return { currency: textAt(store, ['defaultCurrency']) };
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
    (record) =>
      overlap(rulesOf(record.operation).touches(record), ['store']) &&
      (record.state === 'applied' || isInDoubt(record)),
  );
  if (newest?.operation !== updateStore.id || newest.state !== 'applied') return null;
  const fields = answerBody(newest);
  return isObject(fields) ? { fields, seenAt: newest.response?.receivedAt ?? newest.updatedAt } : null;
}
