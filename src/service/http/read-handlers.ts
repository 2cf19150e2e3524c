import * as z from 'zod';
import type { ReadId } from '../../contract/operations/operations.ts';
import { tagOfContent } from '../model/entity-tag.ts';
import { backupsQuery, listBackups, showBackup } from '../operations/backups/read-backups.ts';
import { disputesQuery, listDisputes, showDispute } from '../operations/disputes.ts';
import { endpointsQuery, showEndpoints } from '../operations/endpoints.ts';
import type { OperationResponse } from '../operations/idempotency.ts';
import { notificationsQuery, showInbox } from '../operations/notifications.ts';
import { listPosts, postsQuery, showPost } from '../operations/posts.ts';
import { listReclaims, reclaimsQuery } from '../operations/reclaims.ts';
import { showSettings } from '../operations/settings.ts';
import { showStore } from '../operations/stores.ts';
import type { Reading } from '../operations/unit-of-work.ts';
import type { Tenant } from '../storage/core/storage.ts';
import { jsonResponse } from './operation-handlers.ts';

/** A valid request that only reads. */
interface ReadRequest<Query> {
  readonly query: Query;
  /** Id in the path after the store's, or empty. */
  readonly targetId: string;
}

/** How the service answers an operation that only reads. */
export interface ReadHandler<Query = unknown> {
  /** Schema of the query. Null where it is ignored: the contract has none. */
  readonly query: z.ZodType<Query> | null;
  run(reading: Reading, request: ReadRequest<Query>): Promise<OperationResponse>;
}

const noQuery = z.strictObject({});

export const readHandlers: Record<ReadId, ReadHandler> = {
  'settings.show': {
    query: null,
    async run({ storeId, ofStore }) {
      const { status, body } = jsonResponse(200, await ofStore((db) => showSettings({ db, storeId })));
      return { status, body, headers: { ETag: tagOfContent(body) } };
    },
  },
  'disputes.show': handler(null, (tenant, { targetId }) => showDispute(tenant, targetId)),
  'store.show': {
    query: noQuery,
    async run({ storeId, ofStore }) {
      const { document, tag } = await ofStore((db) => showStore({ db, storeId }));
      return { ...jsonResponse(200, document), headers: { ETag: tag } };
    },
  },
  'blog.list': handler(postsQuery, (tenant, { query }, now) => listPosts(tenant, query, now)),
  'blog.show': handler(noQuery, (tenant, { targetId }, now) => showPost(tenant, targetId, now)),
  'disputes.list': handler(disputesQuery, (tenant, { query }) => listDisputes(tenant, query)),
  'backup.list': handler(backupsQuery, (tenant, { query }) => listBackups(tenant, query)),
  'backup.show': {
    query: noQuery,
    run: async (reading, { targetId }) => jsonResponse(200, await showBackup(reading, targetId)),
  },
  'reclaim.list': handler(reclaimsQuery, (tenant, { query }) => listReclaims(tenant, query)),
  'notify.list': handler(endpointsQuery, (tenant, { query }) => showEndpoints(tenant, query)),
  'notify.inbox': handler(notificationsQuery, (tenant, { query }) => showInbox(tenant, query)),
};

function handler<Query>(
  query: z.ZodType<Query> | null,
  rules: (tenant: Tenant, request: ReadRequest<Query>, now: number) => Promise<object>,
): ReadHandler<Query> {
  return {
    query,
    async run({ storeId, now, ofStore }, request) {
      return jsonResponse(200, await ofStore((db) => rules({ db, storeId }, request, now)));
    },
  };
}
