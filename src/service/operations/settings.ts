import { isDeepStrictEqual } from 'node:util';
import { tagOfContent } from '../model/entity-tag.ts';
import { ServiceError } from '../model/errors.ts';
import { documentOf, type SettingsDocument } from '../model/settings-document.ts';
import { timestamp } from '../model/time.ts';
import type { Tenant } from '../storage/core/storage.ts';
import { unhold } from '../storage/queries/due.ts';
import { type FoundSettings, findSettings, putSettings } from '../storage/queries/settings.ts';
import { recordEvent } from './record-event.ts';
import type { Precondition, Work } from './unit-of-work.ts';

/** `settings.show`. Before they are first saved, settings have their defaults and the age of the store. */
export async function showSettings(tenant: Tenant) {
  return toDocument(tenant, await findSettings(tenant));
}

/** `settings.save` replaces all settings. If they are equal to the current ones, nothing changes and no event is recorded. */
export async function saveSettings(work: Work, document: SettingsDocument, isCurrent: Precondition) {
  const current = await showSettings(work);
  if (!isCurrent(() => tagOfContent(JSON.stringify(current)))) {
    throw new ServiceError('stale', 'The settings have changed since you read them');
  }
  const groups = Object.keys(document) as (keyof SettingsDocument)[];
  const changed = groups.filter((group) => !isDeepStrictEqual(document[group], current[group]));
  if (changed.length === 0) return current;

  const updatedAt = timestamp(work.now);
  const { db, storeId } = work;
  await putSettings(db, { storeId, document, updatedAt });
  await unhold(db, { storeId, now: updatedAt });
  await recordEvent(work, 'settings_updated', { changed });
  return toDocument(work, { document, updatedAt });
}

function toDocument({ storeId }: Tenant, { document, updatedAt }: FoundSettings) {
  return { ...documentOf(document), storeId, env: 'live', updatedAt };
}
