import { listCommand } from '../../cli/operation/list-command.ts';
import { decisions } from '../../contract/operations/disputes.ts';

export const command = listCommand({
  kind: 'dispute',
  what: 'disputes',
  fields: ['reason', 'status', 'deadlineAt', 'providerCaseId'],
  hidden: ['orderId', 'kind', 'resolution'],
  age: 'seenAt',
  statuses: ['open', ...decisions],
  start: 'disputes show ID',
});
