import { checkbox, confirm, input, password, select } from '@inquirer/prompts';
import { editText } from './editor.ts';
import { cancelledError } from './errors.ts';
import { type FieldFlag, parseFlag } from './flags.ts';
import { type Io, isSwitchedOn } from './io.ts';
import * as plain from './plain-prompts.ts';

/** Asks for a line of text. `validate` returns what is wrong, or true. */
export function askText(
  io: Io,
  message: string,
  options: { default?: string; validate?: (text: string) => true | string } = {},
): Promise<string> {
  return ask(io, ({ input }, context) => input({ message, required: true, ...options }, context));
}

/** Asks for a secret: nothing of it is shown. */
export function askSecret(io: Io, message: string): Promise<string> {
  return ask(io, (_, context) => password({ message, mask: false }, context));
}

export function askYesNo(io: Io, message: string, preset = false): Promise<boolean> {
  return ask(io, ({ confirm }, context) => confirm({ message, default: preset }, context));
}

/** One of several values, each with a name for people. */
export function askChoice(
  io: Io,
  message: string,
  choices: readonly { readonly value: string; readonly name: string }[],
): Promise<string> {
  return ask(io, ({ select }, context) => select({ message, choices, pageSize: 12 }, context));
}

/** At least one of several values. */
export function askSeveral(
  io: Io,
  message: string,
  choices: readonly (string | { readonly value: string; readonly name: string })[],
): Promise<string[]> {
  const listed = choices.map((choice) =>
    typeof choice === 'string' ? { value: choice, name: choice } : choice,
  );
  return ask(io, ({ checkbox }, context) =>
    checkbox({ message, choices: listed, required: true, pageSize: 12 }, context),
  );
}

/**
 * Asks for a field of the request in its own words, and holds the answer to the contract's rules for it.
 * `before` is what was answered the time before, and is offered again.
 */
export async function askField(io: Io, field: FieldFlag, before?: unknown): Promise<unknown> {
  if (field.kind === 'boolean') return askYesNo(io, `${field.description}?`);
  const validate = (text: string) => problemOf(field, text) ?? true;
  if (field.fileFlag !== null && (io.env.VISUAL || io.env.EDITOR)) return askLongText(io, field);
  const several = field.kind === 'list' ? ' (commas between several)' : '';
  const offered = before === undefined ? {} : { default: String(before) };
  const text = await askText(io, field.description + several, { validate, ...offered });
  return parseFlag(field, [text.trim()]);
}

/** What keeps a text from being the field's value, or null. */
function problemOf(field: FieldFlag, text: string): string | null {
  if (text.trim() === '') return 'this is needed';
  try {
    const { error } = field.schema.safeParse(parseFlag(field, [text]));
    return error === undefined ? null : (error.issues[0]?.message ?? 'this is not valid');
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** A line is enough for a short text; an empty one opens the editor. */
async function askLongText(io: Io, field: FieldFlag): Promise<string> {
  const line = await ask(io, ({ input }, context) =>
    input({ message: `${field.description} (empty: opens your editor)` }, context),
  );
  if (line.trim() !== '') return line;
  const text = await editText(io, '', `${field.path.at(-1) ?? 'text'}.md`);
  const problem = problemOf(field, text);
  return problem === null ? text : askLongText(io, field);
}

/** True for what a question throws when the user pressed Escape. */
export function wentBack(error: unknown): boolean {
  return error === BACK;
}

/** Asks a question that comes last again when the user wants to go back: leaving would lose all the answers. */
export async function insisting<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!wentBack(error)) throw error;
    }
  }
}

/** Where no question came before, going back is leaving. */
const BACK = cancelledError();

type Prompts = Pick<typeof plain, 'input' | 'confirm' | 'select' | 'checkbox'>;
type PromptContext = plain.PlainContext;

/**
 * Runs a prompt. Questions go to stderr, so that stdout holds data alone. Ctrl-C is a cancellation like any other;
 * Escape is thrown as {@link wentBack} knows it.
 */
async function ask<Answer>(
  io: Io,
  prompt: (prompts: Prompts, context: PromptContext) => Promise<Answer>,
): Promise<Answer> {
  const { stdin, stdout, stderr, signal } = io;
  const prompts: Prompts = isSwitchedOn(io.env.STORECTL_ACCESSIBLE)
    ? plain
    : { checkbox, confirm, input, select };
  const back = new AbortController();
  const onKey = (_: unknown, key: { name?: string } | undefined) => {
    if (key?.name === 'escape') back.abort();
  };
  stdin.on('keypress', onKey);
  try {
    return await prompt(prompts, {
      input: stdin,
      output: stderr.isTTY ? stderr : stdout,
      signal: AbortSignal.any([signal, back.signal]),
      back: () => back.abort(),
    });
  } catch (error) {
    if (back.signal.aborted && !signal.aborted) throw BACK;
    const names = ['ExitPromptError', 'AbortPromptError', 'CancelPromptError'];
    throw error instanceof Error && names.includes(error.name) ? cancelledError() : error;
  } finally {
    stdin.off('keypress', onKey);
  }
}
