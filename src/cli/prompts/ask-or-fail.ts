import { inputNeeded, type MissingInput } from '../command/input-needed.ts';
import type { Ui } from '../command/ui.ts';
import type { Choice } from './prompts.ts';
import { askFirst } from './questions.ts';

type Prompts = typeof import('./prompts.ts');

/**
 * Asks for required values. Without a terminal, throws exit 3, which names all missing values at once. Escape is left to
 * the caller, see questions.ts.
 */
export async function askOrFail<Answer>(
  ui: Ui,
  missing: readonly MissingInput[],
  ask: (prompts: Prompts) => Promise<Answer>,
): Promise<Answer> {
  if (!ui.canAsk) throw inputNeeded(missing);
  return ask(await import('./prompts.ts'));
}

/** Asks to choose one value. Escape asks again. Otherwise like {@link askOrFail}. */
export async function chooseOrFail(
  ui: Ui,
  missing: MissingInput,
  message: string,
  choices: readonly Choice[],
): Promise<string> {
  return askOrFail(ui, [missing], ({ askChoice }) => askFirst(() => askChoice(ui.io, message, choices)));
}
