import type { sectionNames } from '../../../contract/operations/backups.ts';
import { notFound } from '../../model/errors.ts';
import { changedPaths } from '../../model/merge.ts';
import { documentOf } from '../../model/settings-document.ts';
import { timestamp } from '../../model/time.ts';
import { andLater, type ClosedRanges, closed, countWithout } from '../../storage/core/ranges.ts';
import type { Tenant } from '../../storage/core/storage.ts';
import { makeDue, releaseHeld } from '../../storage/queries/due.ts';
import {
  type EndpointRecord,
  listEndpoints,
  putEndpoint,
  setEndpointAside,
} from '../../storage/queries/endpoints.ts';
import { findBlog, setBlog } from '../../storage/queries/posts.ts';
import {
  deleteSettings,
  type FoundSettings,
  findSettings,
  putSettings,
} from '../../storage/queries/settings.ts';
import { findStore, type StoreRecord } from '../../storage/queries/stores.ts';
import { save } from '../stores.ts';
import type { Work } from '../unit-of-work.ts';

/** Without disputes, which are records of fact, and without keys and webhook secrets, which never leave the database. */
export type SectionName = (typeof sectionNames)[number];

/** What a restore changed: names of fields, or how many objects went and came back. */
type Changes =
  | { readonly changed: readonly string[] }
  | { readonly removed: number; readonly returned: number };

/** A part of a store that can be backed up and restored separately. Its content in a backup is JSON. */
interface Section<Content> {
  copy(tenant: Tenant): Promise<Content>;
  restore(work: Work, content: Content): Promise<Changes>;
}

const store: Section<Pick<StoreRecord, 'name' | 'slug' | 'defaultCurrency' | 'timezone' | 'settings'>> = {
  async copy(tenant) {
    const { name, slug, defaultCurrency, timezone, settings } = await requireRecord(tenant);
    return { name, slug, defaultCurrency, timezone, settings };
  },
  async restore(tenant, content) {
    const before = await requireRecord(tenant);
    const after = { ...before, ...content };
    await save(tenant, after);
    return { changed: changedPaths(before, after) };
  },
};

async function requireRecord(tenant: Tenant): Promise<StoreRecord> {
  const record = await findStore(tenant);
  if (record === undefined) throw notFound('Store', tenant.storeId);
  return record;
}

/** Posts never change, so a blog is the positions of those that it has: see storage/queries/posts.ts. */
const blog: Section<ClosedRanges> = {
  async copy(tenant) {
    const { ranges, newest } = await findBlog(tenant);
    return closed(ranges, newest);
  },
  async restore(tenant, content) {
    const { ranges, newest } = await findBlog(tenant);
    const before = closed(ranges, newest);
    await setBlog(tenant.db, { storeId: tenant.storeId, blog: andLater(content, newest) });
    return { removed: countWithout(before, content), returned: countWithout(content, before) };
  },
};

const settings: Section<FoundSettings> = {
  copy: findSettings,
  async restore(work, { document, updatedAt }) {
    const { db, storeId, now } = work;
    const before = await findSettings(work);
    await (document === null
      ? deleteSettings(db, { storeId })
      : putSettings(db, { storeId, document, updatedAt }));
    await releaseHeld(db, { storeId, now: timestamp(now) });
    return { changed: changedPaths(documentOf(before.document), documentOf(document)) };
  },
};

const endpoints: Section<readonly EndpointRecord[]> = {
  copy: listEndpoints,
  async restore(work, content) {
    const before = new Set((await listEndpoints(work)).map(({ id }) => id));
    const after = new Set(content.map(({ id }) => id));
    const removed = [...before].filter((id) => !after.has(id));
    for (const id of removed) await setEndpointAside(work, id);
    for (const endpoint of content) await putEndpoint(work, endpoint);
    // One that was disabled may have messages that nobody looks for.
    await makeDue(work, [...after], timestamp(work.now));
    return { removed: removed.length, returned: [...after].filter((id) => !before.has(id)).length };
  },
};

/** Reads and replaces them in a change of the store. */
export const storeSections: Readonly<Record<SectionName, Section<string>>> = {
  store: inJson(store),
  blog: inJson(blog),
  settings: inJson(settings),
  endpoints: inJson(endpoints),
};

function inJson<Content>({ copy, restore }: Section<Content>): Section<string> {
  return {
    copy: async (tenant) => JSON.stringify(await copy(tenant)),
    restore: (work, text) => restore(work, JSON.parse(text)),
  };
}
