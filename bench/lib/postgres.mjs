import { load } from '../../scripts/load.mjs';

let users = 0;
let starting;

/** A new database in a PostgreSQL cluster that all rows share. `end` is for when a row needs it no more. */
export async function newPostgresDatabase() {
  users += 1;
  starting ??= load('test/helpers/postgres.ts').then(async ({ query, startPostgres }) => ({
    query,
    cluster: await startPostgres(),
  }));
  const { cluster, query } = await starting;
  const { url, adminUrl } = await cluster.createDatabase();
  return {
    url,
    /** As superuser, whom row security does not bind. */
    run: (sql) => query(adminUrl, sql),
    async end() {
      users -= 1;
      if (users > 0) return;
      starting = undefined;
      await cluster.stop();
    },
  };
}
