import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { sectionNames } from '../../../contract/operations/backups.ts';
import { canonicalJson } from '../../model/canonical-json.ts';
import { notFound } from '../../model/errors.ts';
import type { Tenant } from '../../storage/core/storage.ts';
import type { BackupChunk, BackupSectionRecord } from '../../storage/queries/backups.ts';
import { type EndpointRecord, listEndpoints, replaceEndpoints } from '../../storage/queries/endpoints.ts';
import { readPosts, replacePosts } from '../../storage/queries/posts.ts';
import {
  deleteSettings,
  findSettings,
  putSettings,
  type SavedSettings,
} from '../../storage/queries/settings.ts';
import { findStore, type StoreRecord, saveStore } from '../../storage/queries/stores.ts';
import { refusingTakenSlug } from '../stores.ts';

/** In bytes. An item that is larger has a chunk of its own. */
export const maxChunk = 512 * 1024;

/** A restore writes whole chunks, and other stores wait for it. */
const maxItems = 500;

/** A part of a store that can be backed up and restored separately. Nobody needs all of its items in memory. */
interface Section {
  /** Of the items. A section of another version cannot be restored. */
  readonly schemaVersion: number;
  /** Whether items are in the order of their ids, and new ones come last. */
  readonly isOrdered: boolean;
  /** The canonical JSON of each item, some at a time. Where they are ordered: of those after this id. */
  read(tenant: Tenant, after: string): AsyncIterable<readonly string[]>;
  /** Replaces the content of the section, or what comes after this id, by the items in JSON arrays. */
  replace(tenant: Tenant, arrays: AsyncIterable<string>, after: string): Promise<void>;
}

/** A section of few items. */
function smallSection<Item>(
  read: (tenant: Tenant) => Promise<readonly Item[]>,
  replace: (tenant: Tenant, items: readonly Item[]) => Promise<void>,
): Section {
  return {
    schemaVersion: 1,
    isOrdered: false,
    async *read(tenant) {
      yield (await read(tenant)).map(canonicalJson);
    },
    async replace(tenant, arrays) {
      const items: Item[] = [];
      for await (const array of arrays) items.push(...JSON.parse(array));
      await replace(tenant, items);
    },
  };
}

const store = smallSection<StoreRecord>(
  async (tenant) => {
    const record = await findStore(tenant);
    return record ? [record] : [];
  },
  async (tenant, [record]) => {
    if (record === undefined) throw notFound('Store', tenant.storeId);
    await refusingTakenSlug(record, saveStore(tenant, record));
  },
);

const blog: Section = { schemaVersion: 1, isOrdered: true, read: readPosts, replace: replacePosts };

const settings = smallSection<SavedSettings>(
  async (tenant) => {
    const saved = await findSettings(tenant);
    return saved ? [saved] : [];
  },
  async (tenant, [saved]) => {
    await (saved ? putSettings(tenant, saved) : deleteSettings(tenant));
  },
);

const endpoints = smallSection<EndpointRecord>(listEndpoints, replaceEndpoints);

/** Without disputes, which are records of fact, and without keys and webhook secrets, which never leave the database. */
export type SectionName = (typeof sectionNames)[number];

const sections: Record<SectionName, Section> = { store, blog, settings, endpoints };

type Keep = (chunk: BackupChunk) => Promise<void>;

/** Reads the current content of a section, and hands it to `keep` in chunks. */
export async function takeSnapshot(
  tenant: Tenant,
  name: SectionName,
  keep?: Keep,
): Promise<BackupSectionRecord> {
  const { schemaVersion, read } = sections[name];
  return { name, schemaVersion, ...(await summarize(inChunks(read(tenant, '')), keep)) };
}

/** Whether a section of a backup is undamaged and of the version that this program restores. */
export async function isIntact(
  name: SectionName,
  section: BackupSectionRecord,
  chunks: AsyncIterable<BackupChunk>,
): Promise<boolean> {
  if (section.schemaVersion !== sections[name].schemaVersion) return false;
  const { itemCount, sha256 } = await summarize(chunks);
  return section.itemCount === itemCount && section.sha256 === sha256;
}

/** Chunks of a section of a backup, from a position on. */
export type ReadChunks = (from: number) => AsyncIterable<BackupChunk>;

/** What a restore has to write of a section. */
export interface Rest {
  /** Position of its first chunk. */
  readonly from: number;
  /** Id of the last item before that, or empty. */
  readonly after: string;
  readonly sha256: string;
  /** Whether all items are written beside the current ones, because there are too many for one step. */
  readonly isStaged: boolean;
}

/**
 * Finds what follows the chunks that a backup and the current content of the section begin with alike. If that is long and
 * the section `canStage`, it answers the whole section.
 */
export async function findRest(
  tenant: Tenant,
  name: SectionName,
  section: BackupSectionRecord,
  readChunks: ReadChunks,
  canStage: boolean,
): Promise<Rest> {
  const { isOrdered, read } = sections[name];
  let from = 0;
  let last = '';
  if (isOrdered) {
    const current = inChunks(read(tenant, ''));
    for await (const { payload } of readChunks(0)) {
      if ((await current.next()).value?.payload !== payload) break;
      from += 1;
      last = payload;
    }
  }
  const after: string = from === 0 ? '' : JSON.parse(`[${last}]`).at(-1).id;
  const isLong = async () =>
    (await isMoreThanOne(readChunks(from))) || (await isMoreThanOne(inChunks(read(tenant, after))));
  const isStaged = isOrdered && canStage && (await isLong());
  if (isStaged || from === 0) return { from: 0, after: '', sha256: section.sha256, isStaged };
  return { from, after, sha256: (await summarize(readChunks(from))).sha256, isStaged };
}

/** Whether there is more than a chunk. In format version 1 a chunk has no limit. */
async function isMoreThanOne(chunks: AsyncIterable<BackupChunk>): Promise<boolean> {
  let count = 0;
  for await (const { itemCount, payload } of chunks) {
    count += 1;
    if (count > 1 || itemCount > maxItems || payload.length > maxChunk) return true;
  }
  return false;
}

/** Restores the rest of a section, and throws if it then differs from that of the backup. */
export async function restoreRest(
  tenant: Tenant,
  name: SectionName,
  { from, after, sha256 }: Rest,
  readChunks: ReadChunks,
): Promise<void> {
  const { read, replace } = sections[name];
  await replace(tenant, arraysOf(readChunks(from)), after);
  const restored = await summarize(inChunks(read(tenant, after)));
  if (restored.sha256 !== sha256) throw new Error(`restored ${name} differs from its backup`);
}

async function* inChunks(pages: AsyncIterable<readonly string[]>): AsyncGenerator<BackupChunk> {
  let items: string[] = [];
  let bytes = 0;
  const chunk = () => ({ itemCount: items.length, payload: items.join(',') });
  for await (const page of pages) {
    await nextTurn();
    for (const text of page) {
      const more = Buffer.byteLength(text) + 1;
      if (items.length === maxItems || (items.length > 0 && bytes + more > maxChunk)) {
        yield chunk();
        items = [];
        bytes = 0;
      }
      items.push(text);
      bytes += more;
    }
  }
  if (items.length > 0) yield chunk();
}

async function* arraysOf(chunks: AsyncIterable<BackupChunk>): AsyncGenerator<string> {
  for await (const { payload } of chunks) {
    yield `[${payload}]`;
    // On the embedded engine nothing else would run on this thread before the end.
    await nextTurn();
  }
}

/** Count and digest of the items, which do not depend on how they are divided into chunks. */
export async function summarize(chunks: AsyncIterable<BackupChunk>, keep?: Keep) {
  const hash = createHash('sha256').update('[');
  let itemCount = 0;
  for await (const chunk of chunks) {
    if (itemCount > 0) hash.update(',');
    hash.update(chunk.payload);
    itemCount += chunk.itemCount;
    await keep?.(chunk);
    await nextTurn();
  }
  return { itemCount, sha256: hash.update(']').digest('hex') };
}
