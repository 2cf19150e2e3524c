import { listCommand } from '../../cli/operation/lists/list-command.ts';
import { listBlogPosts } from '../../contract/operations/blog.ts';

export const command = listCommand({
  operation: listBlogPosts,
  kind: 'post',
  columns: ['title', 'status', 'publishedAt'],
  start: ['blog', 'create'],
});
