import { findInDoubt } from '../../../history/changes/supersede.ts';
import type { ChangeRequest } from '../../../history/record/change-request.ts';
import type { HistoryRecord } from '../../../history/record/history-record.ts';
import { line } from '../../core/sanitize.ts';
import type { Run } from '../call/run.ts';
import { withHistoryErrors } from './refusals.ts';

/**
 * A change in doubt that may yet set other values than the request, or null. Without one, a request that would change nothing is not
 * sent.
 */
export async function findChangeInDoubt(
  { session }: Run,
  request: ChangeRequest,
): Promise<HistoryRecord | null> {
  const history = await session.history();
  return withHistoryErrors(session, async () => findInDoubt(history, request));
}

/** Says that a request would change nothing, and whether it is sent for all that. */
export function noticeNoChanges({ ui }: Run, changeInDoubt: HistoryRecord | null): void {
  ui.notice(
    changeInDoubt === null
      ? line`No changes; nothing was sent.`
      : line`No changes, but ${changeInDoubt.id} is in doubt and may still change them. They are saved again, so that they stay.`,
  );
}
