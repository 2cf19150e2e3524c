import { canonicalJson, type Precondition, versionOf } from '../model/canonical-json.ts';
import { notFound, ServiceError } from '../model/errors.ts';
import { documentOf, type SettingsDocument } from '../model/settings-document.ts';
import { timestamp } from '../model/time.ts';
import type { Tenant } from '../storage/core/storage.ts';
import { findSettings, putSettings } from '../storage/queries/settings.ts';
import { findStore } from '../storage/queries/stores.ts';
import { recordEvent } from './record-event.ts';
import type { Work } from './unit-of-work.ts';

/** Operation 4. Settings that were never saved are the defaults, as old as the store. */
export async function showSettings(tenant: Tenant) {
  const saved = await findSettings(tenant);
  const store = await findStore(tenant);
  if (store === undefined) throw notFound();
  return {
    ...documentOf(saved?.document),
    storeId: tenant.storeId,
    env: 'live',
    updatedAt: saved?.updatedAt ?? store.createdAt,
  };
}

/** Operation 5: replaces the whole document. A document equal to the one that is there changes and tells nothing. */
export async function saveSettings(work: Work, document: SettingsDocument, isCurrent: Precondition) {
  const current = await showSettings(work);
  if (!isCurrent(versionOf(current))) {
    throw new ServiceError('stale', 'The settings have changed since they were read.');
  }
  const groups = Object.keys(document) as (keyof SettingsDocument)[];
  const changed = groups.filter((group) => canonicalJson(document[group]) !== canonicalJson(current[group]));
  if (changed.length === 0) return current;

  const updatedAt = timestamp(work.now);
  await putSettings(work, { document, updatedAt });
  await recordEvent(work, 'settings_updated', { changed });
  return { ...current, ...document, updatedAt };
}
