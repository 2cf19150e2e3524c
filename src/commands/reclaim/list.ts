import { listCommand } from '../../cli/operation/lists/list-command.ts';
import { listReclaims } from '../../contract/operations/reclaims.ts';

export const command = listCommand({
  operation: listReclaims,
  kind: 'reclaim',
  columns: ['subdomain', 'status', 'reason'],
});
