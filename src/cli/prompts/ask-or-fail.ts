import { inputNeeded, type MissingInput, wrongConfirmation } from '../command/input-needed.ts';
import type { Ui } from '../command/ui.ts';
import { cancelledError } from '../core/errors.ts';
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
  if (!ui.canAsk) throw inputNeeded(missing, { prompt: ui.promptHint });
  return ask(await import('./prompts.ts'));
}

/** A required value of a command, and how a terminal is asked for it. */
export interface Needed extends MissingInput {
  /** Such as `Name of the store`, or `Which key?` if there are choices. */
  readonly question: string;
  /** What is asked where it is typed, unless it is the same: `Key ID`. */
  readonly label?: string;
  /** The values to choose from, once those before it are known. If there are none, or without this function, it is typed. */
  choices?(): Promise<readonly Choice[]>;
  /** Whether there are no other values. */
  readonly isClosed?: boolean;
  validate?(text: string): true | string;
}

interface NeededOptions {
  /** The end of the hint of exit 3. */
  readonly hint?: string;
  readonly first?: 'login' | 'flags';
  /** What exit 3 names, too: a terminal is asked for it later. */
  readonly also?: readonly MissingInput[];
}

/**
 * Asks a terminal for required values, one after the other, and calls `store` with each. Escape goes back, to the earlier answer.
 * Elsewhere it is exit 3, which names all of them at once.
 */
export async function askNeeded(
  ui: Ui,
  needed: readonly Needed[],
  store: (field: string, answer: string) => void,
  { hint, first, also = [] }: NeededOptions = {},
): Promise<void> {
  if (needed.length === 0) return;
  if (!ui.canAsk) {
    const how = { prompt: ui.promptHint, otherwise: hint, ...(first && { first }) };
    throw inputNeeded([...needed, ...also], how);
  }
  const { askChoice, askText } = await import('./prompts.ts');
  const { chooseOrType } = await import('./choose-or-type.ts');
  const { askAll, withKeysExplained } = await import('./questions.ts');
  const answers = new Map<string, string>();
  const questions = needed.map(
    ({ field, question, label = question, choices, isClosed = false, validate }) =>
      async () => {
        const before = answers.get(field);
        const offered = (await choices?.()) ?? [];
        const type = () =>
          askText(ui.io, label, {
            preset: before,
            ...(validate && { validate: (text: string) => validate(text.trim()) }),
          });
        const answer =
          offered.length === 0
            ? await type()
            : isClosed
              ? await askChoice(ui.io, question, offered, before)
              : await chooseOrType(ui.io, question, offered, before, type);
        answers.set(field, answer.trim());
        store(field, answer.trim());
      },
  );
  await askAll(withKeysExplained(ui, () => questions));
}

/** {@link askNeeded} for one value. */
export async function askNeededOne(ui: Ui, needed: Needed, options?: NeededOptions): Promise<string> {
  let given = '';
  const store = (_: string, answer: string) => {
    given = answer;
  };
  await askNeeded(ui, [needed], store, options);
  return given;
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
    const { askOne } = await import('./questions.ts');
    if (!(await askOne(() => askYesNo(ui.io, question)))) throw cancelledError();
  });
}
