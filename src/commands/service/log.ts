import { listOperatorLog } from '../../service/index.ts';
import { operatorListCommand } from './operator/list-command.ts';

export const command = operatorListCommand({
  words: 'log',
  description: `List what operators have changed with \`storectl service\`, newest first: when, which user of the system, which
command, store and object. It outlives the stores.`,
  examples: ['service log', 'service log --store 4be5… --json'],
  noun: 'changes by operators',
  list: listOperatorLog,
  columns: ['createdAt', 'runBy', 'command', 'storeId', 'objectId'],
});
