import { listCommand } from '../../cli/operation/list-command.ts';

export const command = listCommand({
  kind: 'post',
  what: 'posts',
  fields: ['title', 'status'],
  hidden: ['slug'],
  age: 'createdAt',
  start: 'blog create',
});
