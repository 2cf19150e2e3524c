import type { Migration } from '../core/migration.ts';
import { firstSchema } from './0001-first-schema.ts';
import { orderOfDeliveries } from './0002-order-of-deliveries.ts';
import { deliveryWorker } from './0003-delivery-worker.ts';
import { rowSecurity } from './0004-row-security.ts';
import { rateLimits } from './0005-rate-limits.ts';
import { keyRotation } from './0006-key-rotation.ts';
import { notificationsInEvents } from './0007-notifications-in-events.ts';
import { answersByAge } from './0008-answers-by-age.ts';
import { partialIndexes } from './0009-partial-indexes.ts';
import { deliveriesByEventAndAge } from './0010-deliveries-by-event-and-age.ts';
import { backupChunks } from './0011-backup-chunks.ts';
import { traceOfDeliveries } from './0012-trace-of-deliveries.ts';
import { otherPosts } from './0013-other-posts.ts';

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
];
