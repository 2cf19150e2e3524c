import { listCommand } from '../../cli/operation/list-command.ts';

export const command = listCommand({
  kind: 'reclaim',
  what: 'reclaim notices',
  fields: ['subdomain', 'status'],
  age: 'seenAt',
  start: 'reclaim appeal ID',
});
