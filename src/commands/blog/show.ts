import { asObject } from '../../base/json.ts';
import { joined, printableLines } from '../../cli/core/sanitize.ts';
import { memoryOf, showCommand } from '../../cli/operation/lists/show-command.ts';
import { renderRecord, rowsOf } from '../../cli/output/tables.ts';
import { showBlogPost } from '../../contract/operations/blog.ts';

export const command = showCommand({
  ...memoryOf('post'),
  operation: showBlogPost,
  description: 'Show a blog post with its content.',
  examples: ['blog show 5f0c…', 'blog show 5f0c… --fields title,status', 'blog show 5f0c… --json'],
  show({ response }, { ui }) {
    const { contentMd, ...fields } = asObject(response);
    const record = renderRecord(rowsOf(fields), ui.out);
    return typeof contentMd === 'string' ? joined([record, printableLines(contentMd)], '\n\n') : record;
  },
});
