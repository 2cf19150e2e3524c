import { canonicalJson, type Precondition, versionOf } from './canonical-json.ts';
import { ServiceError } from './errors.ts';
import { recordEvent } from './events.ts';
import { readSettings, type SettingsDocument } from './settings-document.ts';
import { findSettings, putSettings } from './storage/settings.ts';
import type { Tenant } from './storage/storage.ts';
import { findStore } from './storage/stores.ts';
import { timestamp, type Work } from './work.ts';

/** Operation 4. */
export async function showSettings(tenant: Tenant) {
  const saved = await findSettings(tenant);
  const store = await findStore(tenant);
  return {
    ...(await readSettings(tenant)),
    storeId: tenant.storeId,
    env: 'live',
    updatedAt: saved?.updatedAt ?? store?.createdAt ?? '',
  };
}

/** Operation 5: replaces the whole document. A document equal to the one that is there changes and tells nothing. */
export async function saveSettings(work: Work, document: SettingsDocument, isCurrent: Precondition) {
  const current = await showSettings(work);
  if (!isCurrent(versionOf(current))) {
    throw new ServiceError('stale', 'The settings have changed since they were read.');
  }
  const before = await readSettings(work);
  const groups = Object.keys(document) as (keyof SettingsDocument)[];
  const changed = groups.filter((group) => canonicalJson(document[group]) !== canonicalJson(before[group]));
  if (changed.length > 0) {
    await putSettings(work, { document, updatedAt: timestamp(work.now) });
    await recordEvent(work, 'settings_updated', { changed });
  }
  return showSettings(work);
}
