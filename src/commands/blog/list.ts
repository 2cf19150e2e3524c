import { listCommand } from '../../cli/operation/list-command.ts';

export const command = listCommand({
  kind: 'post',
  what: 'posts',
  fields: ['title', 'status'],
  hidden: ['slug'],
  age: 'createdAt',
  withoutId: 'Posts without an id were marked as applied: their response was lost.',
  start: 'blog create',
});
