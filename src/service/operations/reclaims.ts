import * as z from 'zod';
import { notFound, ServiceError } from '../model/errors.ts';
import { filledText, pattern } from '../model/field-schemas.ts';
import { createId } from '../model/ids.ts';
import { withoutNulls } from '../model/merge.ts';
import { timestamp } from '../model/time.ts';
import { insert } from '../storage/core/statement.ts';
import type { Tenant } from '../storage/core/storage.ts';
import {
  appealOpenReclaim,
  findReclaim,
  findReclaims,
  type ReclaimRecord,
} from '../storage/queries/reclaims.ts';
import { byId, type PageInput, pageInput, toPage } from './pages.ts';
import { recordEvent } from './record-event.ts';
import type { Work } from './unit-of-work.ts';

/** A notice that the platform reclaims a subdomain. */
export const newReclaim = z.strictObject({
  subdomain: pattern(63, /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'must be a subdomain such as my-store'),
  reason: filledText(4000),
});

/** Adds the notice that `reclaim.appeal` appeals. */
export async function addReclaim(work: Work, input: z.output<typeof newReclaim>, id = createId()) {
  const notice: ReclaimRecord = {
    ...input,
    id,
    status: 'noticed',
    appealText: null,
    appealedAt: null,
    createdAt: timestamp(work.now),
  };
  await insert(work, 'subdomainReclaims', notice);
  await recordEvent(work, 'reclaim_noticed', { reclaimId: id, ...input });
  return notice;
}

/** Query of `reclaim.list`. */
export const reclaimsQuery = pageInput({});

/** `reclaim.list`: newest first. */
export async function listReclaims(tenant: Tenant, { limit, after }: PageInput) {
  const [below = null] = byId.read(after) ?? [];
  const notices = await findReclaims(tenant, limit + 1, below);
  return toPage(notices, limit, ({ id }) => byId.write(id), withoutNulls);
}

/** Body of `reclaim.appeal`. */
export const newAppeal = z.strictObject({ text: filledText(5000) });

/** `reclaim.appeal`. A notice takes one appeal. `isNew` is false if the same appeal was made before. */
export async function appealReclaim(work: Work, reclaimId: string, { text }: z.output<typeof newAppeal>) {
  const { db, storeId, now } = work;
  const appealed = await appealOpenReclaim(db, { storeId, id: reclaimId, text, at: timestamp(now) });
  const isNew = appealed.changes > 0;
  const reclaim = await findReclaim(work, reclaimId);
  if (reclaim === undefined) throw notFound('Reclaim notice', reclaimId);
  if (reclaim.status === 'closed') throw new ServiceError('state_conflict', 'This notice is closed');
  if (reclaim.appealText !== text) {
    throw new ServiceError('state_conflict', 'This notice was already appealed with a different text');
  }
  if (isNew) {
    await recordEvent(work, 'reclaim_appealed', { reclaimId, subdomain: reclaim.subdomain, text });
  }
  return { isNew, appeal: { reclaimId, status: reclaim.status, text, appealedAt: reclaim.appealedAt } };
}
