import { CompiledQuery, sql } from 'kysely';
import Database from 'libsql';
import { describe, expect, test } from 'vitest';
import type { Queries } from '../../../src/service/storage/core/storage.ts';
import { findBackupAndStore, findBackups } from '../../../src/service/storage/queries/backups.ts';
import { findPending, isAnyDue, lockDue } from '../../../src/service/storage/queries/deliveries.ts';
import { findDisputes, findOpenDisputes } from '../../../src/service/storage/queries/disputes.ts';
import { findEndpoints } from '../../../src/service/storage/queries/endpoints.ts';
import { findEventContext } from '../../../src/service/storage/queries/events.ts';
import { findNotifications, markAll } from '../../../src/service/storage/queries/notifications.ts';
import { findPost, findPosts, insertPost } from '../../../src/service/storage/queries/posts.ts';
import { findReclaims } from '../../../src/service/storage/queries/reclaims.ts';
import { newDatabase, openTestStorage } from '../helpers/service.ts';

const text = {
  title: 'T',
  slug: 'taken',
  contentMd: '',
  contentSha256: '',
  excerpt: null,
  metaTitle: null,
  metaDescription: null,
};
const times = { publishedAt: null, scheduledAt: null, createdAt: 't', updatedAt: 't' };
const post = {
  id: 'new',
  ...text,
  ...times,
  coverImageId: null,
  tags: [],
  featuredProductIds: [],
  status: 'draft',
  viewCount: 0,
};

/** Runs `work` in a new database, after `prepare`, and answers how the engine finds the rows of its queries. */
async function plansOf(
  work: (db: Queries) => Promise<unknown>,
  prepare: (db: Queries) => Promise<unknown> = async () => {},
): Promise<string[]> {
  const location = await newDatabase();
  const storage = await openTestStorage(location);
  await storage.write(prepare);
  const queries: CompiledQuery[] = [];
  await storage.write((db) => work(collectQueries(db, queries)));
  if (storage.engine === 'embedded') {
    const database = new Database(location);
    const plans = queries.flatMap((query) =>
      database.prepare(`explain query plan ${query.sql}`).all([...query.parameters]),
    );
    database.close();
    return plans.map((step) => (step as { detail: string }).detail);
  }
  return storage.write(async (db) => {
    // Tables of a test are so small that PostgreSQL would rather read all of them.
    await sql`set local enable_seqscan = off`.execute(db);
    const plans: string[] = [];
    for (const query of queries) {
      const explanation = CompiledQuery.raw(`explain ${query.sql}`, [...query.parameters]);
      const { rows } = await db.executeQuery<{ 'QUERY PLAN': string }>(explanation);
      plans.push(...rows.map((row) => row['QUERY PLAN'].trim()));
    }
    return plans;
  });
}

/** As `db`. Adds each query to `queries`. */
function collectQueries(db: Queries, queries: CompiledQuery[]): Queries {
  const built = db.withPlugin({
    transformQuery({ node, queryId }) {
      queries.push(db.getExecutor().compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return Object.assign(built, {
    engine: db.engine,
    run(text: string, parameters: readonly unknown[]) {
      queries.push(CompiledQuery.raw(text, [...parameters]));
      return db.run(text, parameters);
    },
  });
}

/** Steps that read all of a table, or of an index that is not partial. */
function fullScans(plans: readonly string[]): string[] {
  return plans.filter((step, index) => {
    if (/Scan using/.test(step)) return !plans[index + 1]?.startsWith('Index Cond');
    return /Seq Scan|^SCAN (?!first|head)/.test(step);
  });
}

test('a worker finds endpoints that are due, and what they have to send, by way of their indexes', async () => {
  const now = '2030-03-01T12:00:00.000Z';
  const room = { total: 64, failing: 16 };
  const looks = await plansOf((db) => isAnyDue(db, now, room));
  expect(looks.filter((step) => step.includes('endpoints_due'))).toHaveLength(1);
  const plans = await plansOf(async (db) => {
    await lockDue(db, now, room);
    await findPending(db, { storeId: 's', id: 'e' });
  });
  expect(plans.filter((step) => step.includes('endpoints_due'))).toHaveLength(2);
  expect(plans.filter((step) => step.includes('deliveries_endpoint'))).toHaveLength(1);
  expect(fullScans([...looks, ...plans])).toEqual([]);
  expect(plans.filter((step) => /B-TREE|Sort/.test(step))).toEqual([]);
});

/** Stores with so many posts and events each: `s0`, `s1` … */
async function fillStores(db: Queries, first: number, count: number, each: number): Promise<void> {
  const numbers = sql`with recursive store(s) as
      (select cast(${first} as integer) union all select s + 1 from store where s + 1 < ${first + count}),
    number(i) as (select 1 union all select i + 1 from number where i < ${each})`;
  await sql`insert into stores
    (id, organisation_id, name, slug, status, default_currency, timezone, settings, created_at, version) ${numbers}
    select 's' || s, 'o', 'Store', 's' || s, 'active', 'EUR', 'UTC', '{}', '2030-02-01', 'v' from store`.execute(
    db,
  );
  await sql`insert into events (store_id, id, sequence, type, data, title, body, created_at) ${numbers}
    select 's' || s, 'e' || i, i, 'post_created', '{}', '', '', '2030-02-01' from store, number order by i`.execute(
    db,
  );
  await sql`insert into posts (store_id, position, id, title, slug, content_sha256, content_md, tags, featured_product_ids, status,
      view_count, created_at, updated_at) ${numbers}
    select 's' || s, i, 'p' || i, '', 'p' || i, '', '', '[]', '[]', 'draft', 0, 't', 't' from store, number order by i`.execute(
    db,
  );
}

/** Disputes of a store: one in ten is open, and two are of the same case and order. */
async function fillDisputes(db: Queries, count: number): Promise<void> {
  const numbers = sql`with recursive number(i) as (select 1 union all select i + 1 from number where i < ${count})`;
  await sql`insert into disputes (store_id, id, kind, status, reason, risk_signals, deadline_at, appeal_deadline_at,
      idempotency_key, created_at, updated_at, provider_case_id, order_id) ${numbers}
    select 's0', 'd' || i, 'payment', case when i % 10 = 0 then 'open' else 'won' end, '', '{}', '2030-01-' || i, 't', 'k',
      't', 't', 'c' || (i / 2), 'o' || (i / 2) from number`.execute(db);
}

async function analyzeLargeStore(db: Queries): Promise<void> {
  await fillStores(db, 0, 1, 5_000);
  await fillDisputes(db, 5_000);
  await sql`analyze`.execute(db);
}

/** To the engine, the store looks like the others: it has ten posts and events. */
async function growOneOfMany(db: Queries): Promise<void> {
  await fillStores(db, 1, 1_000, 10);
  // The embedded engine has no statistics unless somebody asks for them.
  if (db.engine === 'postgres') await sql`analyze`.execute(db);
  await fillStores(db, 0, 1, 5_000);
  await fillDisputes(db, 5_000);
}

const tenant = (db: Queries) => ({ db, storeId: 's0' });

describe.each([
  ['in a large store', analyzeLargeStore],
  ['in the one of many stores that has grown', growOneOfMany],
])('%s', (_, prepare) => {
  test.each([
    ['marking all notifications read', (db: Queries) => markAll(tenant(db), undefined)],
    ['marking those before a time', (db: Queries) => markAll(tenant(db), '2030-01-01')],
    ['numbering an event', (db: Queries) => findEventContext(tenant(db), 'post_created')],
    [
      'finding which posts a store shows, and whether a slug is taken',
      (db: Queries) => insertPost(tenant(db), post),
    ],
    ['a page of posts', (db: Queries) => findPosts(tenant(db), { below: 4, limit: 3 })],
    ['a post by its slug', (db: Queries) => findPosts(tenant(db), { below: null, limit: 3, slug: 'p1' })],
    ['a post by its id', (db: Queries) => findPost(tenant(db), 'p1')],
    ['a page of disputes', (db: Queries) => findDisputes(tenant(db), { limit: 3 }, null)],
    ['the next one', (db: Queries) => findDisputes(tenant(db), { limit: 3 }, 'd5')],
    ['a page of won disputes', (db: Queries) => findDisputes(tenant(db), { limit: 3, status: 'won' }, 'd5')],
    ['a page of open disputes', (db: Queries) => findOpenDisputes(tenant(db), { limit: 3 }, null)],
    [
      'the next one of these',
      (db: Queries) => findOpenDisputes(tenant(db), { limit: 3 }, ['2030-01-01', 'd5']),
    ],
    [
      'the disputes of a case',
      (db: Queries) => findDisputes(tenant(db), { limit: 3, providerCaseId: 'c1' }, null),
    ],
    [
      'the disputes of an order',
      (db: Queries) => findDisputes(tenant(db), { limit: 3, orderId: 'o1' }, 'd5'),
    ],
    ['a page of backups', (db: Queries) => findBackups(tenant(db), 3, 'b5')],
    ['a page of reclaim notices', (db: Queries) => findReclaims(tenant(db), 3, null)],
    ['a page of endpoints', (db: Queries) => findEndpoints(tenant(db), 3, null)],
    [
      'a page of notifications',
      (db: Queries) => findNotifications(tenant(db), { isUnread: false, below: null, limit: 3 }),
    ],
    [
      'a page of unread notifications',
      (db: Queries) => findNotifications(tenant(db), { isUnread: true, below: 5, limit: 3 }),
    ],
  ])('%s reads a few rows', async (_, work) => {
    const plans = await plansOf(work, prepare);
    expect(plans).not.toEqual([]);
    expect(fullScans(plans)).toEqual([]);
    expect(plans.filter((step) => /B-TREE|Sort|Aggregate/.test(step))).toEqual([]);
  });
});

test('unread notifications are found among many that were marked by their ids', async () => {
  const plans = await plansOf(
    (db) => findNotifications(tenant(db), { isUnread: true, below: 4_000, limit: 3 }),
    async (db) => {
      await fillStores(db, 0, 1, 5_000);
      await sql`update events set read_at = 't' where sequence > 10`.execute(db);
      // The embedded engine has no statistics unless somebody asks for them.
      if (db.engine === 'postgres') await sql`analyze`.execute(db);
    },
  );
  expect(plans.join('\n')).toContain('events_unread');
  expect(fullScans(plans)).toEqual([]);
});

test('a backup and what restoring it changes read a few rows', async () => {
  const plans = await plansOf((db) => findBackupAndStore(tenant(db), 'b5'), growOneOfMany);
  expect(plans).not.toEqual([]);
  expect(fullScans(plans)).toEqual([]);
});
