import type { sectionNames } from '../../../contract/operations/backups.ts';
import { notFound } from '../../model/errors.ts';
import { changedPaths } from '../../model/merge.ts';
import { documentOf } from '../../model/settings-document.ts';
import { timestamp } from '../../model/time.ts';
import { andLater, type ClosedRanges, closed, countWithout } from '../../storage/core/ranges.ts';
import type { Tenant } from '../../storage/core/storage.ts';
import {
  type EndpointRecord,
  listEndpoints,
  makeDue,
  releaseHeld,
  replaceEndpoints,
} from '../../storage/queries/endpoints.ts';
import { findBlog, setBlog } from '../../storage/queries/posts.ts';
import {
  deleteSettings,
  findSettings,
  putSettings,
  type SavedSettings,
} from '../../storage/queries/settings.ts';
import { findStore, type StoreRecord, saveStore } from '../../storage/queries/stores.ts';
import { refusingTakenSlug } from '../stores.ts';
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

type StoreContent = Pick<StoreRecord, 'name' | 'slug' | 'defaultCurrency' | 'timezone' | 'settings'>;

const store: Section<StoreContent> = {
  async copy(tenant) {
    const { name, slug, defaultCurrency, timezone, settings } = await requireRecord(tenant);
    return { name, slug, defaultCurrency, timezone, settings };
  },
  async restore(tenant, content) {
    const before = await requireRecord(tenant);
    const after = { ...before, ...content };
    await refusingTakenSlug(after, saveStore(tenant, after));
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
    await setBlog(tenant, andLater(content, newest));
    return { removed: countWithout(before, content), returned: countWithout(content, before) };
  },
};

const settings: Section<SavedSettings | null> = {
  async copy(tenant) {
    const found = await findSettings(tenant);
    return found === undefined || found.document === null ? null : found;
  },
  async restore(work, saved) {
    const before = await findSettings(work);
    await (saved === null ? deleteSettings(work) : putSettings(work, saved));
    await releaseHeld(work, timestamp(work.now));
    return {
      changed: changedPaths(documentOf(before?.document ?? null), documentOf(saved?.document ?? null)),
    };
  },
};

const endpoints: Section<readonly EndpointRecord[]> = {
  copy: listEndpoints,
  async restore(work, content) {
    const ids = (records: readonly EndpointRecord[]) => new Set(records.map(({ id }) => id));
    const [before, after] = [ids(await listEndpoints(work)), ids(content)];
    await replaceEndpoints(work, content);
    // One that was disabled may have messages that nobody looks for.
    await makeDue(work, [...after], timestamp(work.now));
    return {
      removed: [...before].filter((id) => !after.has(id)).length,
      returned: [...after].filter((id) => !before.has(id)).length,
    };
  },
};

const sections = {
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

/** The current content of some sections. */
export async function copySections(
  tenant: Tenant,
  names: readonly SectionName[],
): Promise<Record<SectionName, string | null>> {
  const copies: Record<SectionName, string | null> = {
    ...{ store: null, blog: null, settings: null, endpoints: null },
  };
  for (const name of names) copies[name] = await sections[name].copy(tenant);
  return copies;
}

/** Replaces a section by its content in a backup. */
export async function restoreSection(work: Work, name: SectionName, content: string): Promise<Changes> {
  return sections[name].restore(work, content);
}
