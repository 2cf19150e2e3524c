import { styleText } from 'node:util';
import { checkbox, confirm, input, password, select } from '@inquirer/prompts';
import { cancelledError, WentBack } from '../core/errors.ts';
import { type Io, isSwitchedOn } from '../core/io.ts';
import { printable, printableLines } from '../core/sanitize.ts';
import { isAsciiLocale } from '../output/ascii.ts';
import { truncateText, wrapText } from '../output/wrap.ts';
import * as plain from './accessible-prompts.ts';
import { readPasting, withLineBreaks, withMarks } from './bracketed-paste.ts';
import { holdKeyboard } from './keyboard.ts';
import { openScreen } from './prompt-screen.ts';

/** A value to choose, and its name for people. */
export interface Choice {
  readonly value: string;
  readonly name: string;
  /** What is shown as the answer; the name unless given. */
  readonly short?: string;
  /** Explains the choice while the cursor is on it. */
  readonly description?: string;
}

export interface TextOptions {
  /** Initial answer, which the user can edit. */
  readonly preset?: string | undefined;
  /** Whether an empty answer is allowed. */
  readonly optional?: boolean;
  /** Whether pasted text keeps its line breaks. */
  readonly lineBreaks?: boolean;
  /** Whether a wrong answer is cleared, so that it is typed anew. */
  readonly isConfirmation?: boolean;
  /** Returns what is wrong, or true. */
  validate?(text: string): true | string;
}

/** Asks for a line of text. Pasted line breaks become spaces, unless `lineBreaks`. */
export async function askText(io: Io, message: string, options: TextOptions = {}): Promise<string> {
  const { preset, optional = false, lineBreaks = false, isConfirmation = false, validate } = options;
  const offered = isPlain(io) && preset !== undefined ? ` (Enter for ${preset})` : '';
  const question = asQuestion(io, message + offered);
  const decode = lineBreaks ? withLineBreaks : (text: string) => text;
  const check = (text: string) => {
    if (!optional && text.trim() === '') return 'A value is required';
    const verdict = validate?.(text) ?? true;
    return verdict === true ? true : wrapFor(io, verdict);
  };
  /** What stands in the line, and what was answered: the prompt takes the preset for an answer if the line is empty. */
  let line = preset;
  let answer = '';
  const config = {
    message: question,
    validate(text: string) {
      answer = line === '' ? '' : decode(text);
      return check(answer);
    },
    theme: { validationFailureMode: isConfirmation ? 'clear' : 'keep' },
    transformer(text: string, { isFinal }: { readonly isFinal: boolean }) {
      if (isFinal) {
        const shown = answer.trimEnd().includes('\n') ? summarizeText(answer) : answer;
        return styleText('cyan', wrapAfter(io, question, shown));
      }
      line = text;
      return text;
    },
    ...(preset !== undefined && { default: lineBreaks ? withMarks(preset) : preset, prefill: 'editable' }),
  } as const;
  await ask(io, ({ input }, context) => input(config, context), { keepsLineBreaks: lineBreaks });
  return answer;
}

/** The beginning of a text, and how many lines it has: `Dear customer, … (12 lines)`. */
function summarizeText(text: string): string {
  const [first = '', ...rest] = text.trim().split('\n');
  const start = printable(first);
  const beginning = truncateText(start, 40);
  if (rest.length === 0) return beginning;
  return `${beginning}${beginning === start ? ' …' : ''} (${rest.length + 1} lines)`;
}

/** Asks for a secret, which is never shown. */
export function askSecret(io: Io, message: string): Promise<string> {
  const hidden = { mask: false, toggleMask: false, theme: { style: { maskedText: '' } } };
  const config = { message: asQuestion(io, message), ...hidden };
  return ask(io, (_, context) => password(config, context), { isSecret: true });
}

export function askYesNo(io: Io, message: string, preset = false): Promise<boolean> {
  return ask(io, ({ confirm }, context) =>
    confirm({ message: asQuestion(io, message), default: preset }, context),
  );
}

/** Asks for one of several values. Typed or pasted letters select the first choice that begins with them. */
export function askChoice(
  io: Io,
  message: string,
  choices: readonly Choice[],
  preset?: string,
): Promise<string> {
  const question = asQuestion(io, message);
  const named = choices.map(({ value, name, short = name }) => ({
    value,
    name: wrapFor(io, name, '    '),
    short: wrapAfter(io, question, short),
  }));
  const config = {
    message: question,
    choices: named,
    pageSize: pageSize(io),
    loop: false,
    theme: { style: listStyle(io, message, choices) },
    ...(preset !== undefined && { default: preset }),
  };
  return ask(io, ({ select }, context) => select(config, context));
}

/** Asks for at least one of several values. Those in `preset` are selected at first. */
export function askSeveral(
  io: Io,
  message: string,
  choices: readonly Choice[],
  preset: readonly string[] = [],
): Promise<string[]> {
  const question = asQuestion(io, message);
  const named = choices.map(({ value, name, short = name, description }) => ({
    value,
    name: wrapFor(io, name, '    '),
    short: printable(short),
    checked: preset.includes(value),
    ...(description !== undefined && { description: wrapFor(io, description, '') }),
  }));
  const renderSelectedChoices = (chosen: readonly { readonly short: string }[]) =>
    wrapAfter(io, question, chosen.map(({ short }) => short).join(', '));
  const config = {
    message: question,
    choices: named,
    required: true,
    pageSize: pageSize(io),
    loop: false,
    // Someone who types to search the list does not want to select all.
    shortcuts: { all: null, invert: null },
    theme: { style: { ...listStyle(io, message, choices), renderSelectedChoices } },
  };
  return ask(io, ({ checkbox }, context) => checkbox(config, context));
}

/** Whether the prompts are those for screen readers. */
function isPlain({ env }: Pick<Io, 'env'>): boolean {
  return isSwitchedOn(env.STORECTL_ACCESSIBLE);
}

/** Lines of a list, leaving space for the question, the keys and a message. */
function pageSize({ stdout: { rows = 24 } }: Io): number {
  return Math.max(3, Math.min(12, rows - 8));
}

/** Ends a label with a colon. A question has its mark. */
function asQuestion(io: Io, message: string, hint = ''): string {
  return wrapFor(io, (message.endsWith('?') ? message : `${message}:`) + hint);
}

/** Keys that the prompts show as symbols, for a terminal that has no such symbols. */
const keyNames: Readonly<Record<string, string>> = { '↑↓': 'arrows', '⏎': 'Enter' };

/** Says how many choices there are if not all are visible, and wraps the help on keys in a narrow terminal. */
function listStyle(io: Io, message: string, { length }: readonly Choice[]) {
  const hint = length > pageSize(io) ? ` (${length} choices; scroll for more)` : '';
  return {
    message: (_: string, status: string) =>
      styleText('bold', asQuestion(io, message, status === 'done' ? '' : hint)),
    keysHelpTip: (keys: readonly (readonly [key: string, action: string])[]) => {
      const nameOf = (key: string) => (isAsciiLocale(io.env) ? (keyNames[key] ?? key) : key);
      const described = keys.map(([key, action]) => `${nameOf(key)} ${action}`).join(' • ');
      return styleText('dim', wrapFor(io, described, ''));
    },
  };
}

/** Escapes text, and wraps it at words, because the prompts would cut it. Leaves space for the prompt's prefix. */
function wrapFor({ env, stdout: { columns = 80 } }: Io, text: string, indentation = '  '): string {
  const shown = printableLines(text);
  if (isPlain({ env })) return shown;
  return wrapText(shown, columns - 4).replaceAll('\n', `\n${indentation}`);
}

/** Wraps an answer that follows its question on the same line. */
function wrapAfter(io: Io, question: string, answer: string): string {
  const [last = ''] = question.split('\n').slice(-1);
  return wrapFor(io, `${last.trim()} ${answer}`).slice(last.trim().length).replace(/^ /, '');
}

type Prompts = Pick<typeof plain, 'input' | 'confirm' | 'select' | 'checkbox'>;
type PromptContext = plain.PlainContext & { readonly clearPromptOnDone: boolean };

interface AskOptions {
  readonly keepsLineBreaks?: boolean;
  /** Not shown, so that single keys are read for screen readers, too. */
  readonly isSecret?: boolean;
}

/**
 * Runs a prompt on stderr, so that stdout has data only. Ctrl-C and Ctrl-D throw exit 130 (the prompts would hang after
 * Ctrl-D); Escape throws {@link WentBack}.
 */
async function ask<Answer>(
  io: Io,
  prompt: (prompts: Prompts, context: PromptContext) => Promise<Answer>,
  options: AskOptions = {},
): Promise<Answer> {
  io.beforeQuestion?.();
  const { signal } = io;
  const prompts: Prompts = isPlain(io) ? plain : { checkbox, confirm, input, select };
  const terminal = await openTerminal(io, options);
  const back = new AbortController();
  const ended = new AbortController();
  const onKey = (_: unknown, key: { name?: string; ctrl?: boolean } | undefined) => {
    if (key?.name === 'escape') back.abort();
    // Ctrl-D deletes a character, or ends the input if the line is empty.
    if (key?.ctrl && key.name === 'd') setImmediate(() => terminal.input.isPaused() && ended.abort());
  };
  terminal.input.on('keypress', onKey);
  try {
    return await prompt(prompts, {
      input: terminal.input,
      output: terminal.output,
      signal: AbortSignal.any([signal, back.signal, ended.signal]),
      back: () => back.abort(),
      // A getter, read when the prompt has ended: a question that the user left is cleared from the screen.
      get clearPromptOnDone() {
        return back.signal.aborted;
      },
    });
  } catch (error) {
    if (back.signal.aborted && !signal.aborted) throw new WentBack();
    const names = ['ExitPromptError', 'AbortPromptError', 'CancelPromptError'];
    throw error instanceof Error && names.includes(error.name) ? cancelledError() : error;
  } finally {
    terminal.input.off('keypress', onKey);
    terminal.close();
  }
}

/** What a prompt reads and writes: single keys, or for screen readers lines that the terminal edits itself. */
async function openTerminal(io: Io, { keepsLineBreaks = false, isSecret = false }: AskOptions) {
  const { stdin, stdout, stderr, env } = io;
  const readsLines = isPlain(io) && !isSecret;
  const screen = openScreen(stderr.isTTY ? stderr : stdout, { readsLines, isAscii: isAsciiLocale(env) });
  const keyboard = holdKeyboard(io);
  if (readsLines) return { input: stdin, output: screen.output, close: keyboard.lend(screen.redraw) };
  const { input, close } = await readPasting(keyboard, screen, keepsLineBreaks);
  return {
    input,
    output: screen.output,
    close(): void {
      close();
      screen.close();
    },
  };
}
