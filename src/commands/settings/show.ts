import { operationCommand } from '../../cli/operation/define-operation.ts';
import { showSettings } from '../../contract/operations/settings.ts';

export const command = operationCommand({
  operation: showSettings,
  description:
    'Show the operations settings: quiet hours, templates, discovery, showcase and mobile privacy.',
  examples: [
    'settings show',
    'settings show --fields quietHours,templates',
    'settings show --json > settings.json',
  ],
});
