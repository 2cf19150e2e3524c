import type { sectionNames } from '../../contract/operations/backups.ts';
import { canonicalJson, sha256 } from '../model/canonical-json.ts';
import { notFound } from '../model/errors.ts';
import type { Tenant } from '../storage/core/storage.ts';
import type { BackupSectionRecord } from '../storage/queries/backups.ts';
import { type EndpointRecord, listEndpoints, replaceEndpoints } from '../storage/queries/endpoints.ts';
import { listPosts, type PostRecord, replacePosts } from '../storage/queries/posts.ts';
import {
  deleteSettings,
  findSettings,
  putSettings,
  type SavedSettings,
} from '../storage/queries/settings.ts';
import { findStore, type StoreRecord, saveStore } from '../storage/queries/stores.ts';
import { refusingTakenSlug } from './stores.ts';

/** A part of a store that can be backed up and restored separately. */
interface Section<Item> {
  /** Of the items. A section of another version cannot be restored. */
  readonly schemaVersion: number;
  read(tenant: Tenant): Promise<Item[]>;
  /** Replaces the content of the section. */
  replace(tenant: Tenant, items: Item[]): Promise<void>;
}

const store: Section<StoreRecord> = {
  schemaVersion: 1,
  async read(tenant) {
    const record = await findStore(tenant);
    return record ? [record] : [];
  },
  async replace(tenant, [record]) {
    if (record === undefined) throw notFound('Store', tenant.storeId);
    await refusingTakenSlug(saveStore(tenant, record));
  },
};

const blog: Section<PostRecord> = {
  schemaVersion: 1,
  read: listPosts,
  replace: replacePosts,
};

const settings: Section<SavedSettings> = {
  schemaVersion: 1,
  async read(tenant) {
    const saved = await findSettings(tenant);
    return saved ? [saved] : [];
  },
  async replace(tenant, [saved]) {
    await (saved ? putSettings(tenant, saved) : deleteSettings(tenant));
  },
};

const endpoints: Section<EndpointRecord> = {
  schemaVersion: 1,
  read: listEndpoints,
  replace: replaceEndpoints,
};

/** Without disputes, which are records of fact, and without keys and webhook secrets, which never leave the database. */
export type SectionName = (typeof sectionNames)[number];

const sections: Record<SectionName, Section<unknown>> = { store, blog, settings, endpoints };

/** The current content of a section. */
export async function takeSnapshot(tenant: Tenant, name: SectionName): Promise<BackupSectionRecord> {
  const { schemaVersion, read } = sections[name];
  const items = await read(tenant);
  const payload = canonicalJson(items);
  return { name, schemaVersion, itemCount: items.length, sha256: sha256(payload), payload };
}

/** Whether a section of a backup is undamaged and of the version that this program restores. */
export function isIntact(name: SectionName, section: BackupSectionRecord): boolean {
  return (
    section.schemaVersion === sections[name].schemaVersion &&
    section.sha256 === sha256(section.payload) &&
    section.itemCount === JSON.parse(section.payload).length
  );
}

/** Replaces the content of the section by the snapshot. */
export async function applySnapshot(
  tenant: Tenant,
  name: SectionName,
  section: BackupSectionRecord,
): Promise<void> {
  await sections[name].replace(tenant, JSON.parse(section.payload));
}
