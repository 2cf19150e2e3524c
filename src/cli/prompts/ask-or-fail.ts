import { inputNeeded, type MissingInput, wrongConfirmation } from '../command/input-needed.ts';
import type { Ui } from '../command/ui.ts';
import { type CliError, cancelledError } from '../core/errors.ts';
import type { OptionSpec } from '../core/option-spec.ts';
import { optionValue, type ParsedCommand } from '../core/parsed-command.ts';
import type { Choice } from './prompts.ts';

/**
 * Asks for required values. Without a terminal, throws exit 3, which names all missing values at once. Escape is left to
 * the caller, see questions.ts.
 */
export async function askOrFail<Answer>(
  ui: Ui,
  missing: readonly MissingInput[],
  ask: (prompts: typeof import('./prompts.ts')) => Promise<Answer>,
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
  return askOrFail(ui, [missing], async ({ askChoice }) => {
    const { askOne } = await import('./questions.ts');
    return askOne(() => askChoice(ui.io, message, choices));
  });
}

/** Asks for a line of text. Escape asks again. Otherwise like {@link askOrFail}. */
export async function typeOrFail(
  ui: Ui,
  missing: MissingInput,
  question: string,
  validate: (text: string) => true | string,
): Promise<string> {
  return askOrFail(ui, [missing], async ({ askText }) => {
    const { askOne } = await import('./questions.ts');
    return askOne(() => askText(ui.io, question, { validate }));
  });
}

/** `--confirm` of a command that cannot be undone. `value` is its placeholder in the help, such as `NAME`. */
export function confirmOption(value: string, what: string): OptionSpec {
  return {
    flag: '--confirm',
    value,
    description: `Confirm without a prompt: repeat the ${what}`,
    group: 'Safety:',
  };
}

/** `--confirm` without a terminal. `wanted` is what it has to repeat. */
export function missingConfirmation(wanted: string): MissingInput {
  return { field: 'confirm', give: `--confirm ${wanted}`, description: 'repeat it to confirm' };
}

/** Exit 3 for a command that cannot be undone without what it is about: the argument and its confirmation are missing. */
export function argumentNeeded(name: string, description: string): CliError {
  const argument = { field: name, give: `<${name}>`, description };
  return inputNeeded([argument, missingConfirmation(name.toUpperCase())]);
}

/** Whether the user of a terminal says yes to a question that has none before it: Escape asks it again. */
export async function agrees({ io }: Ui, question: string, preset = false): Promise<boolean> {
  const { askYesNo } = await import('./prompts.ts');
  const { askOne } = await import('./questions.ts');
  return askOne(() => askYesNo(io, question, preset));
}

/**
 * Asks a yes-or-no question, unless `--confirm` gives `wanted`. Throws exit 2 if it gives something else, exit 3 if nobody
 * can be asked, and exit 130 if the answer is no.
 */
export async function confirmOrFail(
  ui: Ui,
  parsed: ParsedCommand,
  wanted: string,
  question: string,
): Promise<void> {
  const given = optionValue(parsed, '--confirm');
  if (given !== undefined) {
    if (given === wanted) return;
    throw wrongConfirmation(given, wanted);
  }
  await askOrFail(ui, [missingConfirmation(wanted)], async ({ askYesNo }) => {
    if (!(await askYesNo(ui.io, question))) throw cancelledError();
  });
}
