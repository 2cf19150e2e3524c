import type { Ui } from '../../../cli/command/ui.ts';
import type { ParsedCommand } from '../../../cli/core/parsed-command.ts';
import { askOrFail, confirmOrFail } from '../../../cli/prompts/ask-or-fail.ts';

/**
 * Goes on if the user types `wanted` in a terminal, or `--confirm` repeats it. Throws exit 2 if that has something else, and
 * exit 3 without either.
 */
export async function confirmByTyping(
  ui: Ui,
  parsed: ParsedCommand,
  wanted: string,
  question: string,
): Promise<void> {
  if (!ui.canAsk || parsed.options.has('--confirm')) return confirmOrFail(ui, parsed, wanted, '');
  const validate = (text: string) =>
    text.trim() === wanted || `This is not ${wanted}. Press Ctrl-C to cancel.`;
  await askOrFail(ui, [], ({ askText }) => askText(ui.io, question, { validate, isConfirmation: true }));
}
