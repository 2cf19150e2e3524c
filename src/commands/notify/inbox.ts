import { listCommand } from '../../cli/operation/lists/list-command.ts';
import { listNotifications } from '../../contract/operations/notifications.ts';

export const command = listCommand({
  operation: listNotifications,
  kind: 'notification',
  columns: ['title', 'event', 'read'],
});
