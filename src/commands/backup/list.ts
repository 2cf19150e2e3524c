import { listCommand } from '../../cli/operation/list-command.ts';

export const command = listCommand({
  kind: 'backup',
  what: 'backups',
  fields: ['label', 'sections'],
  age: 'createdAt',
  start: 'backup create',
});
