import { operationCommand } from '../../cli/operation-command.ts';
import { createBlogPost } from '../../contract/blog.ts';

export const command = operationCommand({
  operation: createBlogPost,
  description:
    'Create a blog post. The service decides what is not given; without --status a post is a draft.',
  examples: [
    'blog create --title "Spring sale" --content-file post.md',
    'blog create --title "Spring sale" --content-md "All inks **20 %** off." --tags sale,ink',
    'pandoc notes.docx -t gfm | storectl blog create --title Notes --content-file -',
  ],
  hints: { fileFlags: { contentMd: 'content-file' } },
});
