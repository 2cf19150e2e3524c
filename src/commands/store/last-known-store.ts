import { isObject } from '../../base/json.ts';
import type { Context } from '../../cli/command/context.ts';
import { demoProfile } from '../../cli/config/connection-settings.ts';
import { answerBody } from '../../cli/output/record-summary.ts';
import { restoreBackup } from '../../contract/operations/backups.ts';
import { updateStore } from '../../contract/operations/store.ts';

/**
 * The store as the newest update from this machine left it, or null if that is unknown or a restore came after it. The
 * service has no operation that reads the store.
 */
export async function lastKnownStore(context: Context): Promise<Record<string, unknown> | null> {
  const { origin, storeId, profile } = await context.connect();
  // The service of the demo runs in this process.
  if (profile === demoProfile) return { ...(await context.demo()).example.store };
  const { records } = await (await context.history()).list({ origin, storeId });
  const newest = records.find(
    ({ operation, state }) =>
      (operation === updateStore.id || operation === restoreBackup.id) &&
      state !== 'rejected' &&
      state !== 'not_sent',
  );
  if (newest?.operation !== updateStore.id || newest.state !== 'applied') return null;
  const body = answerBody(newest);
  return isObject(body) ? body : null;
}
