import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { cancelledError } from '../core/errors.ts';

/**
 * Prompts for screen readers: each question is a few lines of text, answered with a line and Enter. Nothing is redrawn,
 * and no single key acts on its own. A line with only `<` goes back.
 */

export interface PlainContext {
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
  /** Aborts the signal because the user wants to go back. */
  back(): void;
}

interface Choice {
  readonly value: string;
  readonly name: string;
  readonly short: string;
}

/** What is used here of a config of @inquirer/prompts. */
interface ChoiceConfig<Item extends Choice> {
  readonly message: string;
  readonly choices: readonly Item[];
}

/** Asks again until `read` accepts the line. Prints the problem that it returns otherwise. */
async function askLine<Answer>(
  question: string,
  { input, output, signal, back }: PlainContext,
  read: (line: string) => { readonly answer: Answer } | { readonly problem: string },
): Promise<Answer> {
  const lines = createInterface({ input, output, terminal: false });
  const ended = new Promise<never>((_, reject) => {
    // Ctrl-D.
    lines.once('close', () => reject(cancelledError()));
  });
  try {
    for (;;) {
      const line = (await Promise.race([lines.question(`${question} `, { signal }), ended])).trim();
      if (line === '<') back();
      signal.throwIfAborted();
      const result = read(line);
      if ('answer' in result) return result.answer;
      output.write(`Invalid answer: ${result.problem}.\n`);
    }
  } catch (error) {
    throw signal.aborted ? cancelledError() : error;
  } finally {
    ended.catch(() => {});
    lines.close();
  }
}

/** A line of text. The message says what an empty line stands for. */
export function input(
  {
    message,
    default: offered,
    validate,
  }: {
    readonly message: string;
    readonly default?: string;
    readonly validate: (text: string) => true | string;
  },
  context: PlainContext,
): Promise<string> {
  return askLine(message, context, (line) => {
    const answer = line === '' ? (offered ?? '') : line;
    const verdict = validate(answer);
    return verdict === true ? { answer } : { problem: verdict };
  });
}

export function confirm(
  { message, default: preset }: { readonly message: string; readonly default: boolean },
  context: PlainContext,
): Promise<boolean> {
  return askLine(`${message} Yes or no (Enter for ${preset ? 'yes' : 'no'}):`, context, (line) => {
    if (line === '') return { answer: preset };
    if (/^y(es)?$/i.test(line)) return { answer: true };
    return /^no?$/i.test(line) ? { answer: false } : { problem: 'answer yes or no' };
  });
}

/** One of several, by its number. */
export function select(
  { message, choices, default: preset }: ChoiceConfig<Choice> & { readonly default?: string },
  context: PlainContext,
): Promise<string> {
  const offered = choices.filter(({ value }) => value === preset);
  const question = `${message}\n${numbered(choices)}\nNumber${hintOf(choices, offered)}:`;
  return askLine(question, context, (line) => {
    const answer = line === '' ? offered.map(({ value }) => value) : valuesOf(line, choices);
    return answer?.length === 1 && answer[0] !== undefined
      ? { answer: answer[0] }
      : { problem: `enter a number from 1 to ${choices.length}` };
  });
}

/** At least one of several, by their numbers. */
export function checkbox(
  { message, choices }: ChoiceConfig<Choice & { readonly checked: boolean }>,
  context: PlainContext,
): Promise<string[]> {
  const checked = choices.filter((choice) => choice.checked);
  const question = `${message}\n${numbered(choices)}\nNumbers, comma-separated${hintOf(choices, checked)}:`;
  return askLine(question, context, (line) => {
    const answer = line === '' ? checked.map(({ value }) => value) : valuesOf(line, choices);
    return answer === null || answer.length === 0
      ? { problem: `enter numbers from 1 to ${choices.length}` }
      : { answer };
  });
}

function numbered(choices: readonly Choice[]): string {
  return choices.map(({ name }, index) => `${index + 1}: ${name}`).join('\n');
}

function hintOf(choices: readonly Choice[], offered: readonly Choice[]): string {
  const numbers = offered.map((choice) => choices.indexOf(choice) + 1);
  return numbers.length === 0 ? '' : ` (Enter for ${numbers.join(', ')})`;
}

/** The values of the choices with the numbers in the line, or null if a number is not valid. */
function valuesOf(line: string, choices: readonly Choice[]): string[] | null {
  const chosen = line.split(/[\s,]+/).map((number) => choices[Number(number) - 1]?.value);
  return chosen.some((value) => value === undefined) ? null : chosen.filter((value) => value !== undefined);
}
