import { confirm, editor, input, password } from '@inquirer/prompts';
import { cancelledError } from './errors.ts';
import { type FieldFlag, parseFlag } from './flags.ts';
import type { Io } from './io.ts';

/** Questions go to stderr, so that stdout holds data alone. */
function promptContext({ stdin, stdout, stderr, signal }: Io) {
  return { input: stdin, output: stderr.isTTY ? stderr : stdout, signal };
}

/** Asks for a line of text. `validate` returns what is wrong, or true. */
export function askText(
  io: Io,
  message: string,
  options: { default?: string; validate?: (text: string) => true | string } = {},
): Promise<string> {
  return answered(input({ message, required: true, ...options }, promptContext(io)));
}

/** Asks for a secret: nothing of it is shown. */
export function askSecret(io: Io, message: string): Promise<string> {
  return answered(password({ message, mask: false }, promptContext(io)));
}

export function askYesNo(io: Io, message: string): Promise<boolean> {
  return answered(confirm({ message, default: false }, promptContext(io)));
}

/** Asks for a field of the request in its own words, and holds the answer to the contract's rules for it. */
export async function askField(io: Io, field: FieldFlag): Promise<unknown> {
  if (field.kind === 'boolean') return askYesNo(io, `${field.description}?`);
  const check = (text: string): true | string => {
    if (text.trim() === '') return 'this is needed';
    try {
      const result = field.schema.safeParse(parseFlag(field, [text]));
      return result.success || (result.error.issues[0]?.message ?? 'this is not valid');
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };
  const several = field.kind === 'list' ? ' (commas between several)' : '';
  const hasEditor = Boolean(io.env.VISUAL || io.env.EDITOR);
  const text =
    field.fileFlag !== null && hasEditor
      ? await answered(
          editor({ message: field.description, validate: check, postfix: '.md' }, promptContext(io)),
        )
      : await askText(io, field.description + several, { validate: check });
  return parseFlag(field, [field.fileFlag === null ? text.trim() : text]);
}

/** Ctrl-C in a prompt is a cancellation like any other. */
async function answered<Answer>(prompt: Promise<Answer>): Promise<Answer> {
  try {
    return await prompt;
  } catch (error) {
    if (
      error instanceof Error &&
      ['ExitPromptError', 'AbortPromptError', 'CancelPromptError'].includes(error.name)
    ) {
      throw cancelledError();
    }
    throw error;
  }
}
