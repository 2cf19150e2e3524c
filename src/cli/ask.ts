import { type Context, inputNeeded, type MissingInput } from './context.ts';
import { cancelledError } from './errors.ts';
import type { Choice } from './prompts.ts';

type Prompts = typeof import('./prompts.ts');

/**
 * Asks for what a command cannot do without. Escape at the first question asks it again. Where there is nobody to ask it
 * is exit 3, which names everything that is missing at once.
 */
export async function askOrRefuse<Answer>(
  context: Context,
  missing: readonly MissingInput[],
  ask: (prompts: Prompts) => Promise<Answer>,
): Promise<Answer> {
  if (!context.canPrompt) throw inputNeeded(missing);
  const prompts = await import('./prompts.ts');
  const { askFirst } = await import('./interview.ts');
  return askFirst(() => ask(prompts));
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
    const chosen = await askChoice(context.io, message, choices);
    if (sure !== undefined && !(await askYesNo(context.io, sure(chosen)))) throw cancelledError();
    return chosen;
  });
}
