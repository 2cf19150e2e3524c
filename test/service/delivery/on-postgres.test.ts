import { afterAll, beforeAll, describe } from 'vitest';
import { startPostgres, type TestCluster } from '../../helpers/postgres.ts';
import { usePostgres } from '../helpers/service.ts';

/** Deliveries are claimed with row locks there, and several workers run at once. */
describe('on PostgreSQL', async () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await startPostgres();
    usePostgres(cluster);
  });
  afterAll(() => cluster.stop());

  await import('./claims.test.ts');
});
