import { afterAll, describe } from 'vitest';
import { startPostgres } from '../helpers/postgres.ts';
import { usePostgres } from './helpers/service.ts';

/** The service behaves the same on both engines, so its tests run on PostgreSQL as well. */
describe('on PostgreSQL', async () => {
  const cluster = await startPostgres();
  afterAll(() => cluster.stop());
  usePostgres(cluster);

  await import('./http/access.test.ts');
  await import('./http/authenticate.test.ts');
  await import('./http/drain.test.ts');
  await import('./http/idempotency-key.test.ts');
  await import('./operations/backups.test.ts');
  await import('./operations/disputes.test.ts');
  await import('./operations/record-event.test.ts');
  await import('./admin/example-store.test.ts');
  await import('./admin/prune.test.ts');
  await import('./storage/upgrade.test.ts');
  await import('./operations/idempotency.test.ts');
  await import('./operations/notifications.test.ts');
  await import('./http/pipeline.test.ts');
  await import('./operations/posts.test.ts');
  await import('./operations/read-backups.test.ts');
  await import('./operations/read-disputes.test.ts');
  await import('./operations/read-lists.test.ts');
  await import('./operations/read-posts.test.ts');
  await import('./operations/read-store.test.ts');
  await import('./operations/reclaims.test.ts');
  await import('./operations/settings.test.ts');
  await import('./operations/stores.test.ts');
  await import('./storage/query-plans.test.ts');
});
