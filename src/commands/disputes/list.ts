import { listCommand } from '../../cli/operation/list-command.ts';

export const command = listCommand({
  kind: 'dispute',
  what: 'disputes',
  fields: ['kind', 'status', 'deadlineAt'],
  age: 'seenAt',
  start: 'disputes show ID',
});
