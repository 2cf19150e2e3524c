import { exampleIds } from '../../contract/objects.ts';
import { daysInMs, timestamp } from '../model/time.ts';
import { addEvidence, decideDispute, newDispute, newEvidence, openDispute } from '../operations/disputes.ts';
import { addEndpoint, newEndpoint } from '../operations/endpoints.ts';
import { markRead } from '../operations/notifications.ts';
import { createPost, newPost } from '../operations/posts.ts';
import { addReclaim } from '../operations/reclaims.ts';
import { recordEvent } from '../operations/record-event.ts';
import { addStore } from '../operations/stores.ts';
import type { Work } from '../operations/unit-of-work.ts';
import type { Queries, Storage, Tenant } from '../storage/core/storage.ts';
import { newestBackups, newestRows } from '../storage/operator/objects.ts';
import { listEndpoints } from '../storage/queries/endpoints.ts';
import { listNotifications } from '../storage/queries/notifications.ts';
import { findAllPosts } from '../storage/queries/posts.ts';
import { putSettings } from '../storage/queries/settings.ts';
import { findStore } from '../storage/queries/stores.ts';
import {
  evidence,
  exampleSettings,
  exampleStoreSettings,
  openCase,
  posts,
  reclaim,
  webhook,
  wonCase,
} from './example-data.ts';

const { store: storeId } = exampleIds;

/** The objects of a store, with the ids that operations need. */
export type ExampleStore = Awaited<ReturnType<typeof readExampleStore>>;

/** Creates the example store unless it exists. Any number of processes may do so at once. */
export async function seedExampleStore(storage: Storage): Promise<ExampleStore> {
  const { read, write } = storage.forStore(storeId);
  const isMissing = async (db: Queries) => (await findStore({ db, storeId })) === undefined;
  if (await read(isMissing)) {
    await write(async (db) => {
      if (await isMissing(db)) await seed({ db, storeId }, Date.now());
    }).catch(async (error: unknown) => {
      // Another process may have done it meanwhile.
      if (await read(isMissing)) throw error;
    });
  }
  return read((db) => readExampleStore({ db, storeId }));
}

/** Lists have the oldest first. */
async function readExampleStore(tenant: Tenant) {
  const { db, storeId } = tenant;
  const query = { storeId, limit: 1_000 };
  const endpoints = await listEndpoints(tenant);
  return {
    storeId,
    store: await findStore(tenant),
    disputes: (await newestRows(db, 'disputes', query)).toReversed(),
    reclaims: (await newestRows(db, 'subdomainReclaims', query)).toReversed(),
    notifications: await listNotifications(tenant),
    posts: await findAllPosts(tenant),
    endpoints: endpoints.map(({ maskedUrl, ...endpoint }) => ({ ...endpoint, url: maskedUrl })),
    backups: (await newestBackups(db, query)).toReversed(),
  };
}

/** Uses the operations where possible, each at the time when it would have happened. */
async function seed({ db }: Tenant, now: number): Promise<void> {
  const at = (daysAgo: number): Work => ({ db, storeId, actor: 'example', now: now - daysInMs(daysAgo) });
  await addStore(
    db,
    { id: storeId, name: 'Juniper & Ink', slug: 'juniper-ink', currency: 'EUR', timezone: 'Europe/Berlin' },
    exampleStoreSettings,
    at(120).now,
  );
  await putSettings(db, { storeId, document: exampleSettings, updatedAt: timestamp(at(90).now) });
  for (const [index, post] of posts.entries()) {
    await createPost(at(80 - 40 * index), newPost.parse(post));
  }

  const won = await openDispute(at(60), newDispute.parse(wonCase), exampleIds.wonDispute);
  await decideDispute(at(52), won.id, {
    status: 'won',
    resolution: 'The carrier confirmed delivery to the buyer in person.',
  });
  await markRead(at(50), {});

  // Notifications from here on are unread.
  const open = await openDispute(at(2), newDispute.parse(openCase), exampleIds.openDispute);
  for (const { daysAgo, submittedBy, ...item } of evidence) {
    await addEvidence(at(daysAgo), open.id, newEvidence.parse(item), submittedBy);
  }
  await addReclaim(at(1), reclaim, exampleIds.reclaim);
  await recordEvent(at(0), 'feedback_digest', {
    summary: '14 new ratings, 4.8 of 5 on average. Most praised: the linen notebooks.',
  });
  await addEndpoint(at(0), newEndpoint.parse(webhook));
}
