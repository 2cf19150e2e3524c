import { notFound } from '../../model/errors.ts';
import type { Difference } from '../../model/merge.ts';
import { closed } from '../../storage/core/ranges.ts';
import type { Tenant } from '../../storage/core/storage.ts';
import { findBackupAndStore, findBackups } from '../../storage/queries/backups.ts';
import type { EndpointRecord } from '../../storage/queries/endpoints.ts';
import { isSlugTaken } from '../../storage/queries/stores.ts';
import { byId, type PageInput, pageInput, toPage } from '../pages.ts';
import type { Reading } from '../unit-of-work.ts';
import { compareBlogs, compareEndpoints, compareSettings, compareStores } from './compare.ts';

/** Query of `backup.list`. */
export const backupsQuery = pageInput({});

/** `backup.list`: newest first. */
export async function listBackups(tenant: Tenant, { limit, after }: PageInput) {
  const [below = null] = byId.read(after) ?? [];
  const rows = await findBackups(tenant, limit + 1, below);
  return toPage(rows, limit, ({ id }) => byId.write(id), presentBackup);
}

/**
 * `backup.show`: with what restoring each of its sections now would change. Values are shown to a key that may read them where
 * they are.
 */
export async function showBackup({ storeId, scopes, ofStore, ofAll }: Reading, id: string) {
  const found = await ofStore((db) => findBackupAndStore({ db, storeId }, id));
  if (found === undefined) throw notFound('Backup', id);
  const restoring: Record<string, object> = {};
  if (found.store !== null) {
    const { settings, ...fields } = found;
    const before = { ...fields, settings: JSON.parse(found.storeSettings) };
    const after = JSON.parse(found.store);
    // Only another store can have a slug that this one has given up.
    const slugTaken =
      after.slug !== found.slug && (await ofAll((db) => isSlugTaken(db, after.slug, storeId)));
    const changed = shownTo(scopes, 'store:read', compareStores(before, after));
    restoring.store = { changed, slugTaken };
  }
  if (found.blog !== null) {
    const before = closed(JSON.parse(found.ranges), found.newest ?? 0);
    restoring.blog = compareBlogs(before, JSON.parse(found.blog));
  }
  if (found.settings !== null) {
    const before = JSON.parse(found.document ?? 'null');
    const changes = compareSettings(before, JSON.parse(found.settings).document);
    restoring.settings = { changed: shownTo(scopes, 'settings:read', changes) };
  }
  if (found.endpoints !== null) {
    const endpoints: EndpointRecord[] = JSON.parse(found.endpoints);
    const before = found.endpointIds?.split(',') ?? [];
    const after = endpoints.map((endpoint) => endpoint.id);
    restoring.endpoints = compareEndpoints(before, after);
  }
  return { ...presentBackup(found), restoring };
}

function shownTo(scopes: readonly string[], needed: string, changes: readonly Difference[]) {
  return scopes.includes(needed) ? changes : changes.map(({ path }) => ({ path }));
}

interface Described {
  readonly id: string;
  readonly version: number;
  readonly label: string;
  readonly sections: string;
  readonly createdAt: string;
  readonly isPreRestore: number;
}

function presentBackup({ id, version, label, sections, createdAt, isPreRestore }: Described) {
  return { id, version, label, sections: JSON.parse(sections), createdAt, automatic: isPreRestore === 1 };
}
