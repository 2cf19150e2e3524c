import { closeReclaim } from '../../../service/index.ts';
import { objectCommand } from '../operator/object-command.ts';

export const command = objectCommand({
  description: 'Close a reclaim notice. The store can no longer appeal it.',
  noun: 'reclaim',
  list: 'reclaims list',
  done: 'Closed reclaim notice',
  question: 'This cannot be undone.',
  examples: ['service reclaims close 019a…', 'service reclaims close 019a… --confirm 019a…'],
  run: closeReclaim,
});
