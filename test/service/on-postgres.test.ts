import { afterAll, beforeAll, describe } from 'vitest';
import { startPostgres, type TestCluster } from '../helpers/postgres.ts';
import { usePostgres } from './helpers/service.ts';

/** What the service does is the same on both engines, so that its tests run once more on PostgreSQL. */
describe('on PostgreSQL', async () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await startPostgres();
    usePostgres(cluster);
  });
  afterAll(() => cluster.stop());

  await import('./access.test.ts');
  await import('./auth.test.ts');
  await import('./backups.test.ts');
  await import('./disputes.test.ts');
  await import('./events.test.ts');
  await import('./example-store.test.ts');
  await import('./idempotency.test.ts');
  await import('./notifications.test.ts');
  await import('./pipeline.test.ts');
  await import('./posts.test.ts');
  await import('./reclaims.test.ts');
  await import('./settings.test.ts');
  await import('./stores.test.ts');
});
