import type { sectionNames } from '../../../contract/operations/backups.ts';
import { notFound } from '../../model/errors.ts';
import type { Difference } from '../../model/merge.ts';
import { timestamp } from '../../model/time.ts';
import { andLater, type ClosedRanges, closed } from '../../storage/core/ranges.ts';
import type { Tenant } from '../../storage/core/storage.ts';
import { scheduleNow, unhold } from '../../storage/queries/due.ts';
import {
  archiveEndpoint,
  type EndpointRecord,
  listEndpoints,
  putEndpoint,
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
import {
  compareBlogs,
  compareEndpoints,
  compareSettings,
  compareStores,
  contentOf,
  type StoreContent,
  without,
} from './compare.ts';

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

const store: Section<StoreContent> = {
  copy: async (tenant) => contentOf(await requireRecord(tenant)),
  async restore(tenant, content) {
    const before = await requireRecord(tenant);
    await save(tenant, { ...before, ...content });
    return { changed: pathsOf(compareStores(before, content)) };
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
    return compareBlogs(before, content);
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
    await unhold(db, { storeId, now: timestamp(now) });
    return { changed: pathsOf(compareSettings(before.document, document)) };
  },
};

const endpoints: Section<readonly EndpointRecord[]> = {
  copy: listEndpoints,
  async restore(work, content) {
    const before = (await listEndpoints(work)).map(({ id }) => id);
    const after = content.map(({ id }) => id);
    for (const id of without(before, after)) await archiveEndpoint(work, id);
    for (const endpoint of content) await putEndpoint(work, endpoint);
    // One that was disabled may have messages that nobody looks for.
    await scheduleNow(work, after, timestamp(work.now));
    return compareEndpoints(before, after);
  },
};

/** Reads and replaces them in a change of the store. */
export const storeSections: Readonly<Record<SectionName, Section<string>>> = {
  store: inJson(store),
  blog: inJson(blog),
  settings: inJson(settings),
  endpoints: inJson(endpoints),
};

function pathsOf(changes: readonly Difference[]): string[] {
  return changes.map(({ path }) => path);
}

function inJson<Content>({ copy, restore }: Section<Content>): Section<string> {
  return {
    copy: async (tenant) => JSON.stringify(await copy(tenant)),
    restore: (work, text) => restore(work, JSON.parse(text)),
  };
}
