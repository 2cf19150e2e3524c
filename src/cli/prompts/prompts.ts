import { cancelledError, WentBack } from '../core/errors.ts';
import { type Draft, type Io, readsLines, usableColumns } from '../core/io.ts';
import { printable, printableLines } from '../core/sanitize.ts';
import { isAsciiLocale } from '../output/ascii.ts';
import { truncateText, wrapText } from '../output/wrap.ts';
import * as plain from './accessible-prompts.ts';
import { readPasting, withLineBreaks, withMarks } from './bracketed-paste.ts';
import { holdKeyboard } from './keyboard.ts';
import { openScreen } from './prompt-screen.ts';
import { openTranscript } from './transcript.ts';
import { type KeyChoice, oneKey, secret, textLine, yesNo } from './views/lines.ts';
import { lookOf, resized } from './views/look.ts';
import { type PickerChoice, picker } from './views/picker.ts';

export type { KeyChoice };

/** A value to choose, and its name for people. */
export interface Choice {
  readonly value: string;
  readonly name: string;
  /** What is shown as the answer; the name unless given. */
  readonly short?: string;
  /** Explains the choice while the cursor is on it. */
  readonly description?: string;
  /** It leads to a question for something else, so it is offered whatever the user types to filter the others. */
  readonly isOther?: boolean;
}

export interface TextOptions {
  /** Initial answer, which the user can edit. */
  readonly preset?: string | undefined;
  /** Whether what is typed first replaces the initial answer, as a value such as a number is. */
  readonly replacesPreset?: boolean;
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
  const { replacesPreset = false } = options;
  const offered = readsLines(io.env) && preset !== undefined ? ` (Enter for ${preset})` : '';
  const question = () => asQuestion(io, message + offered);
  const decode = lineBreaks ? withLineBreaks : (line: string) => line;
  const check = (answer: string) => {
    if (!optional && answer.trim() === '') return 'A value is required';
    const verdict = validate?.(answer) ?? true;
    return verdict === true ? true : wrapFor(io, verdict);
  };
  const config = {
    preset: lineBreaks ? withMarks(preset ?? '') : (preset ?? ''),
    replacesPreset,
    clearsWrong: isConfirmation,
    validate: (line: string) => check(decode(line)),
    summarize(line: string) {
      const answer = decode(line);
      return wrapAfter(io, question(), answer.trimEnd().includes('\n') ? summarizeText(answer) : answer);
    },
  };
  const line = await ask(io, message, {
    keepsLineBreaks: lineBreaks,
    draw: (context, entered) =>
      textLine({ ...config, ...entered, look: lookOf(io), message: question }, context),
    read: (context) => plain.readTextLine({ ...config, message: question() }, context),
  });
  return decode(line);
}

/** The beginning of a text, and how many lines it has: `Dear customer, … (12 lines)`. */
function summarizeText(answer: string): string {
  const [first = '', ...rest] = answer.trim().split('\n');
  const start = printable(first);
  const beginning = truncateText(start, 40);
  if (rest.length === 0) return beginning;
  return `${beginning}${beginning === start ? ' …' : ''} (${rest.length + 1} lines)`;
}

/** Asks for a secret, which is never shown. */
export function askSecret(io: Io, message: string): Promise<string> {
  const config = { look: lookOf(io), message: () => asQuestion(io, message) };
  return ask(io, message, { draw: (context) => secret(config, context) });
}

export function askYesNo(io: Io, message: string, preset = false): Promise<boolean> {
  const question = () => asQuestion(io, message);
  return ask(io, message, {
    draw: (context, entered) => yesNo({ ...entered, look: lookOf(io), message: question, preset }, context),
    read: (context) => plain.readYesNo({ message: question(), preset }, context),
  });
}

/** Asks for one of a few answers, each given by one key. */
export function askKey(io: Io, message: string, keys: readonly KeyChoice[]): Promise<string> {
  const question = () => asQuestion(io, message);
  return ask(io, message, {
    draw: (context) => oneKey({ look: lookOf(io), message: question, keys }, context),
    read: (context) => plain.readLetter({ message: question(), keys }, context),
  });
}

/** Asks for one of several values, which are filtered by what is typed. */
export async function askChoice(
  io: Io,
  message: string,
  choices: readonly Choice[],
  preset?: string,
): Promise<string> {
  const config = { ...pickerConfig(io, message, choices), preset, checked: null };
  const [value = ''] = await ask<readonly string[]>(io, message, {
    escapeClears: true,
    draw: (context, entered) => picker({ ...config, ...entered }, context),
    async read(context) {
      return [await plain.readNumber({ ...config, message: config.message() }, context)];
    },
  });
  return value;
}

/** Asks for at least one of several values, which are filtered by what is typed. Those in `preset` are selected at first. */
export async function askSeveral(
  io: Io,
  message: string,
  choices: readonly Choice[],
  preset: readonly string[] = [],
): Promise<string[]> {
  const config = { ...pickerConfig(io, message, choices), preset: undefined, checked: preset };
  const values = await ask<readonly string[]>(io, message, {
    escapeClears: true,
    draw: (context, entered) => picker({ ...config, ...entered }, context),
    read: (context) => plain.readNumbers({ ...config, message: config.message() }, context),
  });
  return [...values];
}

function pickerConfig(io: Io, message: string, choices: readonly Choice[]) {
  const question = () => asQuestion(io, message);
  return {
    look: lookOf(io),
    message: question,
    choices: choices.map((choice): PickerChoice => {
      const { value, name, short = name, description = '', isOther = false } = choice;
      const words = `${name} ${value} ${description}`;
      return { value, name: printable(name), short: printable(short), description, words, isOther };
    }),
    // Leaves room for the question, the keys and a message.
    pageSize: () => Math.max(3, Math.min(12, (io.stdout.rows ?? 24) - 8)),
    summarize: (names: readonly string[]) => wrapAfter(io, question(), names.join(', ')),
    wrap: (line: string, indentation: string) => wrapFor(io, keysIn(io, line), indentation),
  };
}

/** Keys that the prompts show as symbols, for a terminal that has no such symbols. */
function keysIn({ env }: Io, line: string): string {
  return isAsciiLocale(env) ? line.replace('↑↓', 'arrows').replace('⏎', 'Enter') : line;
}

/** Ends a label with a colon. A question has its mark. */
function asQuestion(io: Io, message: string): string {
  return wrapFor(io, message.endsWith('?') ? message : `${message}:`);
}

/** Escapes text, and wraps it at words, because the prompts would cut it. Leaves space for the prompt's prefix. */
function wrapFor({ env, stdout: { columns } }: Io, line: string, indentation = '  '): string {
  const shown = printableLines(line);
  if (readsLines(env)) return shown;
  return wrapText(shown, usableColumns(columns) - 4).replaceAll('\n', `\n${indentation}`);
}

/** Wraps an answer that follows its question on the same line. */
function wrapAfter(io: Io, question: string, answer: string): string {
  const [last = ''] = question.split('\n').slice(-1);
  return wrapFor(io, `${last.trim()} ${answer}`).slice(last.trim().length).replace(/^ /, '');
}

type PromptContext = plain.PlainContext & { readonly clearPromptOnDone: boolean };

/** What the user entered before they left the question, and what is entered now. */
interface Entered {
  readonly before: Draft | null;
  readonly draft: Draft;
}

interface Asking<Answer> {
  /** Draws the question, and again with each key. */
  draw(context: PromptContext, entered: Entered): Promise<Answer>;
  /** The same for screen readers, by lines. Without it the question is drawn: what is not shown is read by single keys. */
  read?(context: PromptContext, entered: Entered): Promise<Answer>;
  readonly keepsLineBreaks?: boolean;
  /** Whether Escape first clears what is typed. */
  readonly escapeClears?: boolean;
}

/**
 * Runs a prompt on stderr, so that stdout has data only. Ctrl-C and Ctrl-D throw exit 130 (the prompts would hang after
 * Ctrl-D); Escape throws {@link WentBack}. What was entered then stands there again when the question is asked again.
 */
async function ask<Answer>(
  io: Io,
  question: string,
  { draw, read, keepsLineBreaks = false, escapeClears = false }: Asking<Answer>,
): Promise<Answer> {
  io.beforeQuestion?.();
  const { signal, stdout } = io;
  const prompt = (readsLines(io.env) && read) || draw;
  const terminal = await openTerminal(io, { keepsLineBreaks, isRead: prompt === read });
  io.transcript ??= openTranscript(() => ({
    columns: usableColumns(stdout.columns),
    rows: stdout.rows ?? 24,
  }));
  const { transcript } = io;
  const removed = transcript.takeBack(question);
  const entered = { before: transcript.draftOf(question), draft: { line: '' } };
  const back = new AbortController();
  const ended = new AbortController();
  const onKey = (_: unknown, key: { name?: string; ctrl?: boolean } | undefined) => {
    if (key?.name === 'escape' && !(escapeClears && entered.draft.line !== '')) back.abort();
    // Ctrl-D deletes a character, or ends the input if the line is empty.
    if (key?.ctrl && key.name === 'd') setImmediate(() => terminal.input.isPaused() && ended.abort());
  };
  const onResize = () => terminal.input.emit('keypress', '', { name: resized, sequence: '' });
  terminal.input.on('keypress', onKey);
  if (prompt === draw) {
    terminal.screen.remove(removed);
    stdout.on('resize', onResize);
  }
  try {
    const context = {
      input: terminal.input,
      output: terminal.screen.output,
      signal: AbortSignal.any([signal, back.signal, ended.signal]),
      back: () => back.abort(),
      // A getter, read when the prompt has ended: a question that the user left is cleared from the screen.
      get clearPromptOnDone() {
        return back.signal.aborted;
      },
    };
    const answer = await prompt(context, entered);
    transcript.answered(question, terminal.screen.rows());
    return answer;
  } catch (error) {
    if (back.signal.aborted && !signal.aborted) {
      transcript.wentBack(question, entered.draft);
      throw new WentBack();
    }
    const names = ['ExitPromptError', 'AbortPromptError', 'CancelPromptError'];
    throw error instanceof Error && names.includes(error.name) ? cancelledError() : error;
  } finally {
    terminal.input.off('keypress', onKey);
    stdout.off('resize', onResize);
    terminal.close();
  }
}

/** What a prompt reads and writes: single keys, or for screen readers lines that the terminal edits itself. */
async function openTerminal(
  io: Io,
  { keepsLineBreaks, isRead }: { readonly keepsLineBreaks: boolean; readonly isRead: boolean },
) {
  const { stdin, stdout, stderr, env } = io;
  const target = stderr.isTTY ? stderr : stdout;
  const screen = openScreen(target, { size: stdout, readsLines: isRead, isAscii: isAsciiLocale(env) });
  const keyboard = holdKeyboard(io);
  if (isRead) return { input: stdin, screen, close: keyboard.lend(screen.redraw) };
  const { input, close } = await readPasting(keyboard, screen, keepsLineBreaks);
  return {
    input,
    screen,
    close(): void {
      close();
      screen.close();
    },
  };
}
