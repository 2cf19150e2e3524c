import type { Context } from '../command/context.ts';
import { inputNeeded, type MissingInput } from '../command/input-needed.ts';
import { cancelledError } from '../core/errors.ts';
import type { Choice } from './prompts.ts';
import { askInTurn } from './questions.ts';

type Prompts = typeof import('./prompts.ts');

/**
 * Asks for what a command cannot do without; Escape is the caller's business, see interview.ts. Where there is nobody to
 * ask it is exit 3, which names everything that is missing at once.
 */
export async function askOrRefuse<Answer>(
  context: Context,
  missing: readonly MissingInput[],
  ask: (prompts: Prompts) => Promise<Answer>,
): Promise<Answer> {
  if (!context.canPrompt) throw inputNeeded(missing);
  return ask(await import('./prompts.ts'));
}

/** The same for one of several values, then for a yes to what is done with it, where that cannot be taken back. */
export async function chooseOrRefuse(
  context: Context,
  missing: MissingInput,
  message: string,
  choices: readonly Choice[],
  sure?: (chosen: string) => string,
): Promise<string> {
  return askOrRefuse(context, [missing], async ({ askChoice, askYesNo }) => {
    let chosen = '';
    const choose = async () => {
      chosen = await askChoice(context.io, message, choices, chosen === '' ? undefined : chosen);
    };
    const agree = async () => {
      const question = sure?.(chosen);
      if (question !== undefined && !(await askYesNo(context.io, question))) throw cancelledError();
    };
    await askInTurn(() => [{ ask: choose }, { ask: agree }]);
    return chosen;
  });
}
