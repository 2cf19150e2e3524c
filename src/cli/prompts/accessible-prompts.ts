import { createInterface } from 'node:readline/promises';
import type { Readable, Writable } from 'node:stream';
import { cancelledError } from '../core/errors.ts';
import type { KeyChoice } from './views/lines.ts';
import { matching, minToFilter } from './views/matching.ts';

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
  readonly words: string;
  readonly isOther: boolean;
}

interface ChoiceConfig {
  readonly message: string;
  readonly choices: readonly Choice[];
}

/** Asks again until `read` accepts the line. Otherwise it returns the problem, or what is said before the next line. */
async function askLine<Answer>(
  question: string,
  { input, output, signal, back }: PlainContext,
  read: (
    line: string,
  ) => { readonly answer: Answer } | { readonly problem: string } | { readonly again: string },
): Promise<Answer> {
  let next = question;
  const lines = createInterface({ input, output, terminal: false });
  const ended = new Promise<never>((_, reject) => {
    // Ctrl-D.
    lines.once('close', () => reject(cancelledError()));
  });
  try {
    for (;;) {
      const line = (await Promise.race([lines.question(`${next} `, { signal }), ended])).trim();
      if (line === '<') back();
      signal.throwIfAborted();
      const result = read(line);
      if ('answer' in result) return result.answer;
      if ('again' in result) next = result.again;
      else output.write(`Invalid answer: ${result.problem}.\n`);
    }
  } catch (error) {
    throw signal.aborted ? cancelledError() : error;
  } finally {
    ended.catch(() => {});
    lines.close();
  }
}

/** A line of text. The message says what an empty line stands for. */
export function readTextLine(
  {
    message,
    preset: offered,
    validate,
  }: {
    readonly message: string;
    readonly preset: string;
    readonly validate: (text: string) => true | string;
  },
  context: PlainContext,
): Promise<string> {
  return askLine(message, context, (line) => {
    const answer = line === '' ? offered : line;
    const verdict = validate(answer);
    return verdict === true ? { answer } : { problem: verdict };
  });
}

export function readYesNo(
  { message, preset }: { readonly message: string; readonly preset: boolean },
  context: PlainContext,
): Promise<boolean> {
  return askLine(`${message} Yes or no (Enter for ${preset ? 'yes' : 'no'}):`, context, (line) => {
    if (line === '') return { answer: preset };
    if (/^y(es)?$/i.test(line)) return { answer: true };
    return /^no?$/i.test(line) ? { answer: false } : { problem: 'answer yes or no' };
  });
}

/** One of several, by the letter of each. */
export function readLetter(
  { message, keys }: { readonly message: string; readonly keys: readonly KeyChoice[] },
  context: PlainContext,
): Promise<string> {
  const offered = keys.map(({ key, name }) => `${key}: ${name}`).join('\n');
  return askLine(`${message}\n${offered}\nLetter:`, context, (line) => {
    const chosen = keys.find(({ key }) => key === line.toLowerCase());
    return chosen === undefined
      ? { problem: `enter ${keys.map(({ key }) => key).join(', ')}` }
      : { answer: chosen.value };
  });
}

/** One of several, by its number, or by a text that only it has. */
export function readNumber(
  { message, choices, preset }: ChoiceConfig & { readonly preset: string | undefined },
  context: PlainContext,
): Promise<string> {
  let offered: readonly Choice[] = choices.filter(({ value }) => value === preset);
  const ask = () => `Number${hintOf(choices, offered)}${searchHint(choices)}:`;
  return askLine(`${message}\n${numbered(choices)}\n${ask()}`, context, (line) => {
    const answer = line === '' ? offered.map(({ value }) => value) : valuesOf(line, choices);
    if (answer?.length === 1 && answer[0] !== undefined) return { answer: answer[0] };
    const found = search(line, choices);
    if (found === null) return { problem: `enter a number from 1 to ${choices.length}` };
    if (found.length === 1) offered = found;
    return { again: `${numbered(choices, found)}\n${ask()}` };
  });
}

/** At least one of several, by their numbers. */
export function readNumbers(
  { message, choices, checked }: ChoiceConfig & { readonly checked: readonly string[] },
  context: PlainContext,
): Promise<string[]> {
  const offered = choices.filter(({ value }) => checked.includes(value));
  const ask = `Numbers, comma-separated${hintOf(choices, offered)}${searchHint(choices)}:`;
  return askLine(`${message}\n${numbered(choices)}\n${ask}`, context, (line) => {
    const answer = line === '' ? offered.map(({ value }) => value) : valuesOf(line, choices);
    if (answer !== null && answer.length > 0) return { answer };
    const found = search(line, choices);
    if (found === null) return { problem: `enter numbers from 1 to ${choices.length}` };
    return { again: `${numbered(choices, found)}\n${ask}` };
  });
}

/** More are heard only when they are searched for. */
const maxRead = 20;

/** The choices with their numbers, the first of them if there are many. */
function numbered(choices: readonly Choice[], found: readonly Choice[] = choices): string {
  const read = found.slice(0, maxRead);
  const others = found.length - read.length;
  const lines = read.map((choice) => `${choices.indexOf(choice) + 1}: ${choice.name}`);
  return [...lines, ...(others > 0 ? [`And ${others} more`] : [])].join('\n');
}

function searchHint({ length }: readonly Choice[]): string {
  return length < minToFilter ? '' : ', or a part of a name to find it';
}

/** The choices that have a text; null for numbers, and if none has it. */
function search(line: string, choices: readonly Choice[]): readonly Choice[] | null {
  if (/^[\d\s,]*$/.test(line)) return null;
  const found = matching(choices, line).filter(({ isOther }) => !isOther);
  return found.length === 0 ? null : found;
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
