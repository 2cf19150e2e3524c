import { listCommand } from '../../cli/operation/lists/list-command.ts';
import { listEndpoints } from '../../contract/operations/notifications.ts';

export const command = listCommand({
  operation: listEndpoints,
  kind: 'endpoint',
  columns: ['name', 'kind', 'events', 'enabled', 'disabledReason'],
  start: ['notify', 'add-endpoint'],
});
