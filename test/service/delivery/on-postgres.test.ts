import { afterAll, describe } from 'vitest';
import { startPostgres } from '../../helpers/postgres.ts';
import { usePostgres } from '../helpers/service.ts';

/** Deliveries are claimed with row locks there, and several workers run at once. */
describe('on PostgreSQL', async () => {
  const cluster = await startPostgres();
  afterAll(() => cluster.stop());
  usePostgres(cluster);

  await import('./claims.test.ts');
});
