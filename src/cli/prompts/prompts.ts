import { styleText } from 'node:util';
import { checkbox, confirm, input, password, select } from '@inquirer/prompts';
import { cancelledError, WentBack } from '../core/errors.ts';
import { type Io, isSwitchedOn } from '../core/io.ts';
import { wrapText } from '../output/wrap.ts';
import * as plain from './accessible-prompts.ts';
import { type LineBreaks, readPasting, withLineBreaks, withMarks } from './bracketed-paste.ts';

/** A value to choose, and its name for people. */
export interface Choice {
  readonly value: string;
  readonly name: string;
  /** What is shown as the answer; the name unless given. */
  readonly short?: string;
}

export interface TextOptions {
  /** Stands there already, to be kept or changed. */
  readonly preset?: string | undefined;
  /** Whether an empty answer is one. */
  readonly optional?: boolean;
  /** Whether a text of several lines can be pasted. */
  readonly lineBreaks?: boolean;
  /** Returns what is wrong, or true. */
  validate?(text: string): true | string;
}

/**
 * Asks for a line of text. What is not valid is marked as it is typed. A pasted text may have several lines where
 * `lineBreaks` says so; elsewhere they become one.
 */
export async function askText(io: Io, message: string, options: TextOptions = {}): Promise<string> {
  const { preset, optional = false, lineBreaks = false, validate } = options;
  const question = asQuestion(io, message);
  const decode = lineBreaks ? withLineBreaks : (text: string) => text;
  const check = (text: string) => {
    const verdict = validate?.(decode(text)) ?? true;
    return verdict === true ? true : wrapFor(io, verdict);
  };
  const answer = await ask(io, lineBreaks ? 'mark' : 'space', ({ input }, context) =>
    input(
      {
        ...{ message: question, required: !optional, validate: check },
        transformer: (text, { isFinal }) => {
          if (isFinal) return styleText('cyan', wrapAfter(io, question, text));
          // As one types; Enter says what is wrong.
          return text === '' || check(text) === true ? text : `${styleText('red', '✗')} ${text}`;
        },
        ...(preset !== undefined && {
          default: lineBreaks ? withMarks(preset) : preset,
          prefill: 'editable',
        }),
      },
      context,
    ),
  );
  return decode(answer);
}

/** Asks for a secret: nothing of it is shown, and no key shows it. */
export function askSecret(io: Io, message: string): Promise<string> {
  const hidden = { mask: false, toggleMask: false, theme: { style: { maskedText: '' } } };
  return ask(io, 'none', (_, context) => password({ message: asQuestion(io, message), ...hidden }, context));
}

export function askYesNo(io: Io, message: string, preset = false): Promise<boolean> {
  return ask(io, null, ({ confirm }, context) =>
    confirm({ message: asQuestion(io, message), default: preset }, context),
  );
}

/** One of several values. Letters, typed or pasted, go to the first that begins with them. */
export function askChoice(
  io: Io,
  message: string,
  choices: readonly Choice[],
  preset?: string,
): Promise<string> {
  const question = asQuestion(io, message);
  const named = choices.map(({ value, name, short = name }) => ({
    ...{ value, name: wrapFor(io, name, '    '), short: wrapAfter(io, question, short) },
  }));
  return ask(io, 'none', ({ select }, context) =>
    select(
      {
        ...{ message: question, choices: named, pageSize: pageSize(io), loop: false },
        theme: { style: listStyle(io, message, choices) },
        ...(preset !== undefined && { default: preset }),
      },
      context,
    ),
  );
}

/** At least one of several values. `preset` are those that are chosen already. */
export function askSeveral(
  io: Io,
  message: string,
  choices: readonly Choice[],
  preset: readonly string[] = [],
): Promise<string[]> {
  const question = asQuestion(io, message);
  const named = choices.map(({ value, name, short = name }) => ({
    ...{ value, name: wrapFor(io, name, '    '), short, checked: preset.includes(value) },
  }));
  const renderSelectedChoices = (chosen: readonly { readonly short: string }[]) =>
    wrapAfter(io, question, chosen.map(({ short }) => short).join(', '));
  return ask(io, null, ({ checkbox }, context) =>
    checkbox(
      {
        ...{ message: question, choices: named, required: true, pageSize: pageSize(io), loop: false },
        theme: { style: { ...listStyle(io, message, choices), renderSelectedChoices } },
      },
      context,
    ),
  );
}

/** Lines that a list may take: the question, the keys and what is wrong stand around it. */
function pageSize({ stdout: { rows = 24 } }: Io): number {
  return Math.max(3, Math.min(12, rows - 8));
}

/** Ends with a question mark or a colon: the answer comes right after it. */
function asQuestion(io: Io, message: string, hint = ''): string {
  return wrapFor(io, (/[?:]$/.test(message) ? message : `${message}:`) + hint);
}

/**
 * How a list differs from what the prompts make of it: it says where there is more than what is shown, until it is
 * answered, and the keys that act on it are not cut in a narrow terminal.
 */
function listStyle(io: Io, message: string, { length }: readonly Choice[]): plain.ListStyle {
  const hint = length > pageSize(io) ? ` (${length} to choose from, more below)` : '';
  return {
    message: (_, status) => styleText('bold', asQuestion(io, message, status === 'done' ? '' : hint)),
    keysHelpTip: (keys) => {
      const described = keys.map(([key, action]) => `${key} ${action}`).join(' • ');
      return styleText('dim', wrapFor(io, described, ''));
    },
  };
}

/** The text wrapped at words, where the prompts would cut them; a mark stands before its first line. */
function wrapFor({ env, stdout: { columns = 80 } }: Io, text: string, indentation = '  '): string {
  if (isSwitchedOn(env.STORECTL_ACCESSIBLE)) return text;
  return wrapText(text, Math.max(columns, 20) - 4).replaceAll('\n', `\n${indentation}`);
}

/** An answer as it goes on after its question, wrapped with it. */
function wrapAfter(io: Io, question: string, answer: string): string {
  const [last = ''] = question.split('\n').slice(-1);
  return wrapFor(io, `${last.trim()} ${answer}`).slice(last.trim().length).replace(/^ /, '');
}

type Prompts = Pick<typeof plain, 'input' | 'confirm' | 'select' | 'checkbox'>;
type PromptContext = plain.PlainContext & { readonly clearPromptOnDone: boolean };

/**
 * Runs a prompt. Questions go to stderr, so that stdout holds data alone. Ctrl-C is a cancellation like any other, and
 * so is Ctrl-D, which the prompts would wait after for ever; Escape throws a {@link WentBack}.
 */
async function ask<Answer>(
  io: Io,
  lineBreaks: LineBreaks | null,
  prompt: (prompts: Prompts, context: PromptContext) => Promise<Answer>,
): Promise<Answer> {
  const { stdout, stderr, signal } = io;
  const output = stderr.isTTY ? stderr : stdout;
  const isPlain = isSwitchedOn(io.env.STORECTL_ACCESSIBLE);
  const prompts: Prompts = isPlain ? plain : { checkbox, confirm, input, select };
  const terminal = isPlain ? { input: io.stdin, close() {} } : readPasting(io, output, lineBreaks);
  const back = new AbortController();
  const ended = new AbortController();
  const onKey = (_: unknown, key: { name?: string; ctrl?: boolean } | undefined) => {
    if (key?.name === 'escape') back.abort();
    // After text it removes a letter; on an empty line it ends the input.
    if (key?.ctrl && key.name === 'd') setImmediate(() => terminal.input.isPaused() && ended.abort());
  };
  terminal.input.on('keypress', onKey);
  try {
    return await prompt(prompts, {
      ...{ input: terminal.input, output },
      signal: AbortSignal.any([signal, back.signal, ended.signal]),
      back: () => back.abort(),
      // Looked at when the prompt has ended: a question that was left unanswered would stand there as if it were asked.
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
