import { operationCommand } from '../../cli/operation/operation-command.ts';
import { createBackup } from '../../contract/operations/backups.ts';

export const command = operationCommand({
  operation: createBackup,
  description: `Back up sections of the store. With the same idempotency key, running the command again creates no second
backup.`,
  question: 'Create this backup?',
  done: (_, { request: { body } }) =>
    `Created backup "${String(body?.label)}" (${[body?.sections].flat().join(', ')})`,
  examples: [
    'backup create --label nightly --sections store,blog',
    'backup create --label "nightly $(date +%F)" --sections store --output-file backup.json',
    'backup create --label nightly --sections store --idempotency-key "nightly-$(date +%F)"',
    'backup create --label "run $GITHUB_RUN_ID" --sections store --idempotency-from ci',
  ],
});
