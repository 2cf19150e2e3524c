import { refuseRepeated } from '../../cli/duplicates.ts';
import { operationCommand } from '../../cli/operation-command.ts';
import { perform } from '../../cli/perform.ts';
import { createBlogPost } from '../../contract/blog.ts';

const allowDuplicate = '--allow-duplicate';

export const command = operationCommand({
  operation: createBlogPost,
  description: `Create a blog post. The service decides what is not given, such as whether it is a draft.
The same post within 24 hours is refused: ${allowDuplicate} creates it again.`,
  options: [
    { flag: allowDuplicate, description: 'Create it although it was created before', group: 'Safety:' },
  ],
  examples: [
    'blog create --title "Spring sale" --content-file post.md',
    'blog create --title "Spring sale" --content-md "All inks **20 %** off." --tags sale,ink',
    'blog create --title Notes --content-file - < notes.md',
  ],
  hints: { fileFlags: { contentMd: 'content-file' } },
  perform: (run) => perform(refuseRepeated(run, allowDuplicate)),
});
