import { readStoreName } from '../../../history/objects/seen-objects.ts';
import type { Session } from '../../command/session.ts';
import { demoProfile } from '../../config/connection-settings.ts';
import { printable } from '../../core/sanitize.ts';

/** The store in use, with its name if this machine has seen it. Printable. */
export async function describeStoreInUse(session: Session): Promise<string> {
  const { profile, storeId } = await session.settings();
  if (profile === demoProfile) {
    const { example } = await session.demo();
    const id = storeId?.value ?? example.storeId;
    return describeStore(id, id === example.storeId ? example.store?.name : null);
  }
  return describeStore(storeId?.value ?? '', readStoreName((await session.history()).journal.folder));
}

/** `Juniper & Ink (4be5c0de)`, or the whole id without a name. Printable. */
export function describeStore(storeId: string, name: unknown): string {
  const isNamed = typeof name === 'string' && name.trim() !== '';
  return printable(isNamed ? `${name} (${storeId.slice(0, 8)})` : storeId);
}
