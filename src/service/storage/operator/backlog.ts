import { statement } from '../core/statement.ts';
import type { Queries } from '../core/storage.ts';

/** What a delivery waits for, if anything. */
export const backlogStates = ['due', 'sending', 'retrying', 'held', 'dead'] as const;

export interface Backlog {
  /** Deliveries of all stores by state, up to 10 000 each of pending and dead ones: counting more would take long. */
  readonly counts: Readonly<Record<(typeof backlogStates)[number], number>>;
  /** How long the endpoint has been due that has waited longest, in ms. 0 if none is due. */
  readonly oldestDueMs: number;
}

/** Reads nothing that was delivered. */
const counts = statement<{ now: string }, { state: (typeof backlogStates)[number]; count: number }>`
  select state, count(*) as count from (
    select case when endpoint.held = 1 then 'held' when endpoint.claimed_by is not null then 'sending'
      when endpoint.due_at <= ${'now'} then 'due' else 'retrying' end as state
    from endpoints as endpoint join deliveries as delivery
      on delivery.store_id = endpoint.store_id and delivery.endpoint_id = endpoint.id and delivery.status = 'pending'
    where endpoint.due_at is not null limit 10000
  ) as pending group by state
  union all
  select 'dead' as state, count(*) as count from
    (select 1 from deliveries where status = 'dead' limit 10000) as dead`;

const oldest = statement<{ now: string }, { dueAt: string }>`
  select due_at from endpoints where is_failing in (0, 1) and due_at <= ${'now'} and claimed_by is null
  order by due_at limit 1`;

/** The deliveries of all stores that wait or have failed permanently. */
export async function findBacklog(db: Queries, now: number): Promise<Backlog> {
  const time = new Date(now).toISOString();
  const { rows } = await counts(db, { now: time });
  const known = Object.fromEntries(rows.map(({ state, count }) => [state, count]));
  const [first] = (await oldest(db, { now: time })).rows;
  return {
    counts: { due: 0, sending: 0, retrying: 0, held: 0, dead: 0, ...known },
    oldestDueMs: first === undefined ? 0 : now - Date.parse(first.dueAt),
  };
}

const bytesOfFile = statement<object, { bytes: number }>`
  select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`;

const bytesOfDatabase = statement<object, { bytes: number }>`
  select pg_database_size(current_database()) as bytes`;

/** Size of the database in bytes. */
export async function findSize(db: Queries): Promise<number> {
  const ask = db.engine === 'embedded' ? bytesOfFile : bytesOfDatabase;
  return Number((await ask(db, {})).rows[0]?.bytes ?? 0);
}
