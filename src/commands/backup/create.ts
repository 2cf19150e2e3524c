import { operationCommand } from '../../cli/operation-command.ts';
import { createBackup } from '../../contract/backups.ts';

export const command = operationCommand({
  operation: createBackup,
  description: `Back up sections of the store, such as store, blog, settings and endpoints.
The same idempotency key makes one backup however often the command runs.`,
  examples: [
    'backup create --label nightly --sections store,blog',
    'backup create --label "before the sale" --sections store --json',
    'backup create --label nightly --sections store --idempotency-key nightly-2030-01-31',
  ],
});
