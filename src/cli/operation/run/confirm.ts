import { type CliError, cancelledError, usageError } from '../../core/errors.ts';
import { optionValue } from '../../core/parsed-command.ts';
import type { Run } from './run.ts';

/**
 * Asks the user to type the id before an irreversible change, unless `--confirm ID` was given. Without a terminal,
 * `completeInput` has already refused the command.
 */
export async function confirmById(
  { ui: { context, parsed, interview } }: Run,
  id: string,
  question: string,
): Promise<void> {
  const given = optionValue(parsed, '--confirm');
  if (given !== undefined) {
    if (given !== id) throw wrongConfirmation(given, id);
    return;
  }
  if (!context.canPrompt) throw cancelledError();
  const { askText } = await import('../../prompts/prompts.ts');
  const { askFromStart } = await import('../../prompts/questions.ts');
  const validate = (text: string) => text.trim() === id || "That doesn't match. Ctrl-C cancels.";
  const ask = async () => {
    await askText(context.io, `${question} Type ${id} to confirm`, { validate });
  };
  // After other questions, Escape goes back to them.
  await (interview === null ? askFromStart(() => [{ ask }]) : ask());
}

/** Exit 2 for a `--confirm` that does not match the command. */
export function wrongConfirmation(given: string, wanted: string): CliError {
  return usageError(
    `--confirm says ${given || 'nothing'}, but the command says ${wanted}`,
    'nothing was sent; check which one you mean',
    { code: 'wrong_confirmation' },
  );
}
