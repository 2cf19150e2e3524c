import { listCommand } from '../../cli/operation/list-command.ts';

export const command = listCommand({
  kind: 'endpoint',
  what: 'endpoints',
  fields: ['name', 'kind', 'events'],
  age: 'createdAt',
  start: 'notify add-endpoint',
});
