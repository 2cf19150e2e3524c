import { terminalNeeded } from '../../../cli/command/input-needed.ts';
import type { Ui } from '../../../cli/command/ui.ts';
import { fixInput, invalidInput } from '../../../cli/core/errors.ts';
import { printableInOneLine } from '../../../cli/core/sanitize.ts';
import { describeRefusal } from '../../../cli/operation/questions/ask-missing.ts';
import { editUntilUsed } from '../../../cli/prompts/editor.ts';
import { describeProblem } from '../post/fields.ts';
import { problemOfError, readEdited, renderPost } from '../post/read-post.ts';

/**
 * Opens a post in the editor, with its fields as front matter. A text that is not a valid post opens the editor again
 * with the reason; an empty text cancels. The original file does not change. Returns the fields as they left the editor.
 */
export async function editPost(ui: Ui, draft: Readonly<Record<string, unknown>>) {
  if (!ui.canAsk) {
    throw terminalNeeded(
      '--edit needs a terminal',
      'leave out --edit to create the post from the file and the flags',
    );
  }
  return editUntilUsed(ui, await renderPost(draft), {
    fileName: 'post.md',
    withNote: (text, problem) =>
      problem === null
        ? text
        : `<!-- Not sent: ${printableInOneLine(describeRefusal(problem)).replaceAll('--', '- -')} -->\n${text}`,
    withoutNote: (text) => text.replaceAll('\r\n', '\n').replace(/^<!-- Not sent: [^\n]*-->\n/, ''),
    async use(text) {
      return readEdited(text).catch(refuse);
    },
    command: ['blog', 'create'],
  });
}

function refuse(error: unknown): never {
  const problem = problemOfError(error);
  throw invalidInput(describeProblem(`line ${problem.line}`, { ...problem, line: null }), fixInput);
}
