import { confirmById } from '../../cli/confirm.ts';
import { refuseSecond } from '../../cli/duplicates.ts';
import { operationCommand } from '../../cli/operation-command.ts';
import { perform } from '../../cli/perform.ts';
import { idIfAny } from '../../cli/result.ts';
import { appealReclaim } from '../../contract/reclaims.ts';

const resubmit = '--resubmit';

export const command = operationCommand({
  operation: appealReclaim,
  description: `Appeal a notice that reclaims the subdomain of the store. A notice takes one appeal, and the text cannot be
changed afterwards. A notice that was appealed from this machine before is refused: ${resubmit} appeals again.`,
  options: [
    { flag: resubmit, description: 'Appeal although this notice was appealed before', group: 'Safety:' },
  ],
  examples: [
    'reclaim appeal 5f0c… --text "The shop is open: last order yesterday" --confirm 5f0c…',
    'reclaim appeal 5f0c… --text-file appeal.txt',
  ],
  hints: { fileFlags: { text: 'text-file' } },
  confirm: 'reclaimId',
  async perform(run) {
    const { reclaimId = '' } = run.parameters;
    const checked = refuseSecond(run, 'this notice was appealed', resubmit);
    // Before the question too: nobody should answer it in vain.
    await checked.check?.(await run.context.history());
    await confirmById(run, reclaimId, 'Send this appeal? A notice takes one.');
    return perform(checked);
  },
  id: idIfAny,
});
