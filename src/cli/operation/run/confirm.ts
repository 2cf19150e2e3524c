import { type CliError, cancelledError, usageError } from '../../core/errors.ts';
import { optionValue } from '../../core/parsed-command.ts';
import type { Run } from './run.ts';

/**
 * Asks for the id once more before something that cannot be taken back; `--confirm ID` answers beforehand. Without
 * somebody to ask, the command has been refused before, so silence is never taken for yes.
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
  const validate = (text: string) =>
    text.trim() === id || 'that is not it; Ctrl-C leaves everything as it is';
  const ask = async () => {
    await askText(context.io, `${question} Type ${id} to go on`, { validate });
  };
  // Where other questions came before, going back is their business.
  await (interview === null ? askFromStart(() => [{ ask }]) : ask());
}

/** Exit 2 for a `--confirm` that names something else than the command. */
export function wrongConfirmation(given: string, wanted: string): CliError {
  return usageError(
    `--confirm names ${given || 'nothing'}, and the command ${wanted}`,
    'nothing was sent; check which one is meant',
    {
      code: 'wrong_confirmation',
    },
  );
}
