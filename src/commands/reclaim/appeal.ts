import { operationCommand } from '../../cli/operation/define-operation.ts';
import { confirmById } from '../../cli/operation/run/confirm.ts';
import { refuseSecond } from '../../cli/operation/run/duplicate-guard.ts';
import { idIfAny } from '../../cli/operation/run/print-result.ts';
import type { Run } from '../../cli/operation/run/run.ts';
import { perform } from '../../cli/operation/run/send.ts';
import { appealReclaim } from '../../contract/operations/reclaims.ts';

const resubmit = '--resubmit';

const refuseSecondAppeal = (run: Run) => refuseSecond(run, 'this notice was already appealed', resubmit);

export const command = operationCommand({
  operation: appealReclaim,
  description: `Appeal a subdomain reclaim notice of the store. A notice allows one appeal, and its text cannot be
changed later. A second appeal from this machine is refused unless ${resubmit} is given.`,
  options: [
    { flag: resubmit, description: 'Appeal even if this notice was appealed before', group: 'Safety:' },
  ],
  examples: [
    'reclaim appeal 5f0c… --text "The shop is open: last order yesterday" --confirm 5f0c…',
    'reclaim appeal 5f0c… --text-file appeal.txt',
  ],
  hints: { fileFlags: { text: 'text-file' } },
  confirm: 'reclaimId',
  toolNote: 'A notice allows one appeal, and its text cannot be changed later.',
  done: (_, { request }) => `Appealed reclaim notice ${request.parameters.reclaimId}`,
  check: refuseSecondAppeal,
  async perform(run) {
    const { reclaimId = '' } = run.request.parameters;
    const check = refuseSecondAppeal(run);
    // Check before the question too, so that it is not answered in vain.
    await check(await run.ui.context.history());
    await confirmById(run, reclaimId, 'Send this appeal? This is final.');
    return perform(run, { check });
  },
  id: idIfAny,
});
