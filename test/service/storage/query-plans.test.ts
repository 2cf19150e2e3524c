import { CompiledQuery, sql } from 'kysely';
import Database from 'libsql';
import { expect, test } from 'vitest';
import type { Queries } from '../../../src/service/storage/core/storage.ts';
import { findPending, isAnyDue, lockDue } from '../../../src/service/storage/queries/deliveries.ts';
import { markNotifications } from '../../../src/service/storage/queries/events.ts';
import { newDatabase, openTestStorage } from '../helpers/service.ts';

/** Runs `work` in a new database, after `prepare`, and answers how the engine finds the rows of its queries. */
async function plansOf(
  work: (db: Queries) => Promise<unknown>,
  prepare: (db: Queries) => Promise<unknown> = async () => {},
): Promise<string[]> {
  const location = await newDatabase();
  const storage = await openTestStorage(location);
  await storage.write(prepare);
  const queries: CompiledQuery[] = [];
  await storage.write((db) => work(recording(db, queries)));
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
function recording(db: Queries, queries: CompiledQuery[]): Queries {
  const built = db.withPlugin({
    transformQuery({ node, queryId }) {
      queries.push(db.getExecutor().compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return new Proxy(built, {
    get(_, name) {
      const member: unknown = Reflect.get(built, name, built);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        if (name === 'executeQuery') queries.push(args[0] as CompiledQuery);
        return member.apply(built, args);
      };
    },
  });
}

/** Steps that read all of a table, or of an index that is not partial. */
function fullScans(plans: readonly string[]): string[] {
  return plans.filter((step, index) => {
    if (/events_unread/.test(step)) return false;
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

/** A store with as many events of one moment as make a difference to the statistics of the engine. */
async function analyzeManyEvents(db: Queries): Promise<void> {
  await sql`insert into stores
    (id, organisation_id, name, slug, status, default_currency, timezone, settings, created_at)
    values ('s', 'o', 'Store', 's', 'active', 'EUR', 'UTC', '{}', '2030-02-01')`.execute(db);
  await sql`insert into events (store_id, id, type, data, title, body, created_at)
    with recursive number(i) as (select 1 union all select i + 1 from number where i < 5000)
    select 's', 'e' || i, 'post_created', '{}', '', '', '2030-02-01' from number`.execute(db);
  await sql`analyze`.execute(db);
}

test.each([
  ['a new database', undefined],
  ['a database with statistics', analyzeManyEvents],
])(
  'in %s, marking all notifications read reads unread ones only, without sorting them',
  async (_, prepare) => {
    const plans = await plansOf(
      (db) => markNotifications({ db, storeId: 's' }, {}, '2030-03-01', 10),
      prepare,
    );
    expect(plans.filter((step) => step.includes('events_unread'))).not.toEqual([]);
    expect(fullScans(plans)).toEqual([]);
    expect(plans.filter((step) => /B-TREE|Sort/.test(step))).toEqual([]);
  },
);
