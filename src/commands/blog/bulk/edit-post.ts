import type { Context } from '../../../cli/command/context.ts';
import { CliError } from '../../../cli/core/errors.ts';
import { exitCodes } from '../../../cli/core/exit-codes.ts';
import { editUntilUsed } from '../../../cli/prompts/editor.ts';
import { parseMarkdownPost, renderMarkdownPost } from './markdown-file.ts';

/** A post as it left the editor. */
export interface EditedPost {
  readonly text: string;
  readonly fields: Record<string, unknown>;
}

/**
 * Opens a post in the editor, its fields as front matter. What cannot be read as a post brings the user back to the
 * editor with the text and the reason; an empty text cancels. The file that it came from stays as it is.
 */
export async function editPost(
  context: Context,
  draft: Readonly<Record<string, unknown>>,
): Promise<EditedPost> {
  if (!context.canPrompt) {
    throw new CliError({
      code: 'input_needed',
      exitCode: exitCodes.inputNeeded,
      message: 'an editor needs a terminal with somebody at it who may be asked',
      hint: 'leave --edit out; flags and the file give the post',
      outcome: 'not_sent',
    });
  }
  return editUntilUsed(context, await renderMarkdownPost(draft), {
    fileName: 'post.md',
    withNote: (text, problem) => noteOf(problem) + text,
    withoutNote,
    async use(text) {
      const { fields } = await parseMarkdownPost(text, 'your text');
      if (fields.title === null) delete fields.title;
      return { text, fields };
    },
    nothing: 'nothing was sent',
    keep: 'keep it in a file, and give that file',
  });
}

function noteOf(problem: string | null): string {
  return problem === null ? '' : `<!-- Not sent: ${problem.replaceAll('--', '- -')} -->\n`;
}

function withoutNote(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/^<!-- Not sent: [^\n]*-->\n/, '');
}
