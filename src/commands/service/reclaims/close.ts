import { line } from '../../../cli/core/sanitize.ts';
import { closeReclaim } from '../../../service/index.ts';
import { endCommand } from '../operator/end-command.ts';

export const command = endCommand({
  words: 'reclaims close',
  description: 'Close a reclaim notice. The store can no longer appeal it.',
  noun: 'reclaim',
  done: 'Closed reclaim notice',
  loss: line`A closed notice cannot be opened again.`,
  run: closeReclaim,
});
