import type { Context } from '../command/context.ts';
import { inputNeeded, type MissingInput } from '../command/input-needed.ts';
import { cancelledError } from '../core/errors.ts';
import type { Choice } from './prompts.ts';
import { askInTurn } from './questions.ts';

type Prompts = typeof import('./prompts.ts');

/**
 * Asks for required values. Without a terminal, throws exit 3, which names all missing values at once. Escape is left to
 * the caller, see questions.ts.
 */
export async function askOrFail<Answer>(
  context: Context,
  missing: readonly MissingInput[],
  ask: (prompts: Prompts) => Promise<Answer>,
): Promise<Answer> {
  if (!context.canPrompt) throw inputNeeded(missing);
  return ask(await import('./prompts.ts'));
}

/** Asks to choose one value, and to confirm it if `confirmation` returns a question. Otherwise like {@link askOrFail}. */
export async function chooseOrFail(
  context: Context,
  missing: MissingInput,
  message: string,
  choices: readonly Choice[],
  confirmation?: (chosen: string) => string,
): Promise<string> {
  return askOrFail(context, [missing], async ({ askChoice, askYesNo }) => {
    let chosen = '';
    const choose = async () => {
      chosen = await askChoice(context.io, message, choices, chosen === '' ? undefined : chosen);
    };
    const confirm = async () => {
      const question = confirmation?.(chosen);
      if (question !== undefined && !(await askYesNo(context.io, question))) throw cancelledError();
    };
    await askInTurn(() => [choose, confirm]);
    return chosen;
  });
}
