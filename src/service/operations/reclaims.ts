import * as z from 'zod';
import { notFound, ServiceError } from '../model/errors.ts';
import { filledText } from '../model/field-schemas.ts';
import { timestamp } from '../model/time.ts';
import { appealOpenReclaim, findReclaim } from '../storage/queries/reclaims.ts';
import { recordEvent } from './record-event.ts';
import type { Work } from './unit-of-work.ts';

/** Body of operation 10. */
export const newAppeal = z.strictObject({ text: filledText(5000) });

/** Operation 10. A notice takes one appeal. `isNew` is false if the same appeal was made before. */
export async function appealReclaim(work: Work, reclaimId: string, { text }: z.output<typeof newAppeal>) {
  const isNew = await appealOpenReclaim(work, reclaimId, { text, at: timestamp(work.now) });
  const reclaim = await findReclaim(work, reclaimId);
  if (reclaim === undefined) throw notFound('Reclaim notice', reclaimId);
  if (reclaim.appealText !== text) {
    throw new ServiceError('state_conflict', 'The notice already has an appeal with another text.');
  }
  if (isNew) {
    await recordEvent(work, 'reclaim_appealed', { reclaimId, subdomain: reclaim.subdomain, text });
  }
  const appeal = { reclaimId, status: reclaim.status, text, appealedAt: reclaim.appealedAt };
  return { isNew, appeal };
}
