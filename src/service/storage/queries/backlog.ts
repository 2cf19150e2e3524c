import { statement } from '../core/statement.ts';
import type { Queries } from '../core/storage.ts';

/** Deliveries of one state. */
export interface Backlog {
  /** Up to 100 000: counting more would take long. */
  readonly count: number;
  /** When the oldest was created. */
  readonly oldest: string | null;
}

type Row = { readonly count: number; readonly oldest: string | null };

/** Each state has an index of its own, so neither reads what was delivered. */
const statements = {
  pending: statement<object, Row>`select (select count(*) from
      (select 1 from deliveries where status = 'pending' limit 100000) as some) as count,
    (select created_at from deliveries where status = 'pending' order by created_at limit 1) as oldest`,
  dead: statement<object, Row>`select (select count(*) from
      (select 1 from deliveries where status = 'dead' limit 100000) as some) as count,
    (select created_at from deliveries where status = 'dead' order by created_at limit 1) as oldest`,
};

/** The deliveries of all stores that wait or have failed for good. */
export async function findBacklog(db: Queries): Promise<Record<'pending' | 'dead', Backlog>> {
  const find = async (state: 'pending' | 'dead') =>
    (await statements[state](db, {})).rows[0] ?? { count: 0, oldest: null };
  return { pending: await find('pending'), dead: await find('dead') };
}
