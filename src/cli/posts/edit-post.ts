import type { Context } from '../context.ts';
import { editText } from '../editor.ts';
import { CliError, cancelledError, usageError } from '../errors.ts';
import { exitCodes } from '../exit-codes.ts';
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
      message: 'an editor needs a terminal, and there is none',
      hint: 'leave --edit out; flags and the file give the post',
      outcome: 'not_sent',
    });
  }
  let text = await renderMarkdownPost(draft);
  let problem: string | null = null;
  for (;;) {
    const edited = withoutNote(await editText(context.io, noteOf(problem) + text, 'post.md'));
    if (edited.trim() === '') throw cancelledError();
    // The same text again after an error: the user has given up on it.
    if (problem !== null && edited === text) {
      context.noticeToCopy(`\nYour text was:\n\n${text}`);
      throw usageError(
        `nothing was sent: ${problem}`,
        'your text is above: keep it in a file, and give that file',
      );
    }
    text = edited;
    try {
      const { fields } = await parseMarkdownPost(text, 'your text');
      if (fields.title === null) delete fields.title;
      return { text, fields };
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      problem = error.message;
    }
  }
}

function noteOf(problem: string | null): string {
  return problem === null ? '' : `<!-- Not sent: ${problem.replaceAll('--', '- -')} -->\n`;
}

function withoutNote(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/^<!-- Not sent: [^\n]*-->\n/, '');
}
