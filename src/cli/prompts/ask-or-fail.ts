import { inputNeeded, type MissingInput } from '../command/input-needed.ts';
import type { Ui } from '../command/ui.ts';
import { cancelledError } from '../core/errors.ts';
import type { Choice } from './prompts.ts';
import { askInTurn } from './questions.ts';

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

/** Asks to choose one value, and to confirm it if `confirmation` returns a question. Otherwise like {@link askOrFail}. */
export async function chooseOrFail(
  ui: Ui,
  missing: MissingInput,
  message: string,
  choices: readonly Choice[],
  confirmation?: (chosen: string) => string,
): Promise<string> {
  return askOrFail(ui, [missing], async ({ askChoice, askYesNo }) => {
    let chosen = '';
    const choose = async () => {
      chosen = await askChoice(ui.io, message, choices, chosen === '' ? undefined : chosen);
    };
    const confirm = async () => {
      const question = confirmation?.(chosen);
      if (question !== undefined && !(await askYesNo(ui.io, question))) throw cancelledError();
    };
    await askInTurn(() => [choose, confirm]);
    return chosen;
  });
}
