import { listCommand } from '../../cli/operation/lists/list-command.ts';
import { listBackups } from '../../contract/operations/backups.ts';

export const command = listCommand({
  operation: listBackups,
  kind: 'backup',
  columns: ['label', 'sections', 'automatic'],
  start: ['backup', 'create'],
});
