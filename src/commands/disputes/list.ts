import { listCommand } from '../../cli/operation/list-command.ts';

export const command = listCommand({
  kind: 'dispute',
  what: 'disputes',
  fields: ['reason', 'status', 'deadlineAt', 'providerCaseId'],
  hidden: ['orderId', 'kind', 'resolution'],
  age: 'seenAt',
  start: 'disputes show ID',
});
