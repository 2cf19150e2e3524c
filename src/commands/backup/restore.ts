import { operationCommand } from '../../cli/operation-command.ts';
import { restoreBackup } from '../../contract/backups.ts';

export const command = operationCommand({
  operation: restoreBackup,
  description: 'Restore sections of a backup over what the store has now. Other sections stay as they are.',
  examples: ['backup restore 5f0c… --sections store', 'backup restore 5f0c… --sections store,blog --json'],
  id: () => undefined,
});
