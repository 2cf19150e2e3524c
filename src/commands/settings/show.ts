import { operationCommand } from '../../cli/operation-command.ts';
import { getPath } from '../../cli/paths.ts';
import { showSettings } from '../../contract/settings.ts';

export const command = operationCommand({
  operation: showSettings,
  description:
    'Show the operations settings: quiet hours, templates, discovery, showcase and privacy on phones.',
  examples: [
    'settings show',
    'settings show --fields quietHours,templates',
    'settings show --json > settings.json',
  ],
  id: (answer) => getPath(answer, ['storeId']),
});
