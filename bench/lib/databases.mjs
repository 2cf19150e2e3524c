import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'libsql';
import { newPostgresDatabase } from './postgres.mjs';

/** Where a service keeps its data, by engine: `database` for its place, `run` for SQL, `end` for afterwards. */
export const engines = {
  async embedded(folder) {
    const run = async (sql) => {
      const database = new Database(path.join(folder, 'service.db'));
      // The service may be writing, too.
      database.exec('pragma busy_timeout = 30000');
      database.exec(sql);
      database.close();
      // This thread stood still, and has not heard yet which idle connections the service has closed.
      await sleep(50);
    };
    return { run, end: async () => {} };
  },
  async postgres() {
    const { url, run, end } = await newPostgresDatabase();
    return { database: url, run, end };
  },
};

export const suffixOf = (engine) => (engine === 'postgres' ? ', on PostgreSQL' : '');

/** A request to a store, by what `make` says of a number. */
export function requestOf(store, make) {
  return (number) => {
    const [method, suffix, body] = make(number);
    return { method, path: `/v1/stores/${store.storeId}${suffix}`, headers: headersOf(store), body };
  };
}

const headersOf = ({ key }) => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' });

export const numbers = (count) =>
  `with recursive number(i) as (select 1 union all select i + 1 from number where i < ${count})`;
export const time = "'2026-01-01T00:00:00.000Z'";

/** The SQL that adds posts of this many characters after those that the store has, from a position on. */
export const posts = (storeId, first, count, characters) => `
  insert into posts (store_id, position, id, title, slug, content_sha256, content_md, tags, featured_product_ids, status, view_count,
      created_at, updated_at)
    with recursive number(i) as (select ${first} union all select i + 1 from number where i < ${first + count - 1})
    select '${storeId}', i, 'p' || i, 'Title', 'p' || i, '', '${'x'.repeat(characters)}', '[]', '[]', 'draft', 0, ${time},
      ${time} from number;`;
