import { listCommand } from '../../cli/operation/lists/list-command.ts';
import { listDisputes } from '../../contract/operations/disputes.ts';

export const command = listCommand({
  operation: listDisputes,
  kind: 'dispute',
  columns: ['reason', 'status', 'deadlineAt', 'buyerEmail', 'providerCaseId'],
  start: ['disputes', 'open'],
});
