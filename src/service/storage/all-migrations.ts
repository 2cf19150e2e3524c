import type { Migration } from './core/migration.ts';
import { firstSchema } from './migrations/0001-first-schema.ts';
import { orderOfDeliveries } from './migrations/0002-order-of-deliveries.ts';
import { deliveryWorker } from './migrations/0003-delivery-worker.ts';
import { rowSecurity } from './migrations/0004-row-security.ts';
import { rateLimits } from './migrations/0005-rate-limits.ts';
import { keyRotation } from './migrations/0006-key-rotation.ts';
import { notificationsInEvents } from './migrations/0007-notifications-in-events.ts';
import { answersByAge } from './migrations/0008-answers-by-age.ts';
import { partialIndexes } from './migrations/0009-partial-indexes.ts';
import { deliveriesByEventAndAge } from './migrations/0010-deliveries-by-event-and-age.ts';
import { backupChunks } from './migrations/0011-backup-chunks.ts';
import { traceOfDeliveries } from './migrations/0012-trace-of-deliveries.ts';
import { otherPosts } from './migrations/0013-other-posts.ts';
import { removedEndpoints } from './migrations/0014-removed-endpoints.ts';

/** In the order in which they run. A released migration is never edited: add a new one. */
export const migrations: readonly Migration[] = [
  firstSchema,
  orderOfDeliveries,
  deliveryWorker,
  rowSecurity,
  rateLimits,
  keyRotation,
  notificationsInEvents,
  answersByAge,
  partialIndexes,
  deliveriesByEventAndAge,
  backupChunks,
  traceOfDeliveries,
  otherPosts,
  removedEndpoints,
];
