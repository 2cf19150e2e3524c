import { listCommand } from '../../cli/operation/list-command.ts';

export const command = listCommand({
  kind: 'post',
  what: 'posts',
  fields: ['title', 'slug'],
  age: 'createdAt',
  withoutId: 'Posts without an id: their response was lost; the service said that they exist.',
  start: 'blog create',
});
