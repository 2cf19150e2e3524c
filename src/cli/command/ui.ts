import type { Phrase } from '../config/phrase.ts';
import { phraseText } from '../config/phrase.ts';
import { type Io, isInputForbidden } from '../core/io.ts';
import type { Literal } from '../core/sanitize.ts';
import { inAscii, isAsciiLocale } from '../output/ascii.ts';
import { choosePager, showInPager } from '../output/pager.ts';
import { type Mark, type Style, styleOf } from '../output/style.ts';
import type { GlobalFlags } from './global-flags.ts';
import { promptHint } from './input-needed.ts';
import { createStatusLine, createWaiting, type Waiting } from './status-line.ts';

/** What can be printed: words of the program, a phrase, or what was drawn. Never a text that was put together otherwise. */
type Sayable<Text extends string> = (Text & Literal<Text>) | Phrase;

/** What talks to the person, or to the program that reads the output. */
export interface Ui extends Pick<GlobalFlags, 'json' | 'fields' | 'quiet'> {
  /** For the prompts and the pager. */
  readonly io: Io;
  /** Style of stdout and of stderr. */
  readonly out: Style;
  readonly err: Style;
  /** Whether the user can be asked: terminals on both ends, and prompts not forbidden. */
  readonly canAsk: boolean;
  /** What has to change for that, to stand in a hint; undefined if nobody is there. */
  readonly promptHint: string | undefined;
  /** Writes data to stdout. Text longer than the terminal goes through a pager, which blocks until the user leaves it. */
  print<Text extends string>(text: Sayable<Text>): void;
  /** Writes a message to stderr, wrapped at words in a terminal, not in `commands`. With --quiet, only if a question follows. */
  notice<Text extends string>(text: Sayable<Text>, tone?: Mark): void;
  /** A notice that a command shows once, however often it comes. */
  noticeOnce<Text extends string>(text: Sayable<Text>, tone?: Mark): void;
  /** The same as `notice` without wrapping, because the user may copy the text, such as a command. */
  noticeUnwrapped<Text extends string>(text: Sayable<Text>): void;
  /** Writes what the user typed to stderr before an error would lose it, with --quiet too. */
  writeAlways<Text extends string>(text: Sayable<Text>): void;
  /** Shows a progress bar below all other output on stderr; null removes it. Terminals only. */
  setProgressBar(bar: string | null): void;
  readonly waiting: Waiting;
}

/** `said` is what `noticeOnce` has shown. */
export async function createUi(io: Io, flags: GlobalFlags, said = new Set<string>()): Promise<Ui> {
  const { json, fields, quiet } = flags;
  const err = await styleOf(io.stderr, io.env);
  const out = await styleOf(io.stdout, io.env);
  // A pipe needs no widths, and loading them takes a few milliseconds.
  const widths = err.width === null ? null : await import('../output/wrap.ts');
  const status = createStatusLine(io, quiet, widths?.truncateText);
  const isAscii = isAsciiLocale(io.env);
  const inLocale = (text: string, { width }: Style) => (isAscii && width !== null ? inAscii(text) : text);
  const writeLine = (text: string) => {
    const whole = `${inLocale(text, err)}\n`;
    io.transcript?.wrote(whole);
    status.writeAbove(() => io.stderr.write(whole));
  };
  const untilQuestion: string[] = [];
  const writeNotice = quiet ? (text: string) => untilQuestion.push(text) : writeLine;
  io.beforeQuestion = () => untilQuestion.splice(0).forEach(writeLine);
  const wrapped = (text: string) =>
    err.width === null || err.plain ? text : (widths?.wrapText(text, err.width) ?? text);
  const textOf = (text: Phrase) => phraseText(text, flags);
  const notice = (text: Phrase, mark?: Mark) => {
    // Marked after it is wrapped, so that indented lines are seen as such.
    const shown = wrapped(textOf(text));
    writeNotice(mark === undefined ? shown : err.color[mark](shown));
  };
  const promptsForbidden = isInputForbidden(flags, io.env);
  return {
    json,
    fields,
    quiet,
    io,
    out,
    err,
    get canAsk() {
      // Checked last, because reading `io.stdin` opens it.
      if (promptsForbidden || io.stdout.isTTY !== true || io.stdin.isTTY !== true) return false;
      // After Ctrl-D, the user cannot answer any more.
      return !io.stdin.readableEnded;
    },
    get promptHint() {
      return promptHint(io, flags);
    },
    print: (said: Phrase) => {
      const text = textOf(said);
      const ended = text.endsWith('\n') ? text : `${text}\n`;
      const whole = json ? ended : inLocale(ended, out);
      const pager = out.width === null || json || quiet || flags.noInput ? null : choosePager(whole, io);
      if (pager !== null && showInPager(whole, pager, io)) return;
      io.transcript?.wrote(whole);
      status.writeAbove(() => io.stdout.write(whole));
    },
    notice,
    noticeOnce: (phrase: Phrase, mark?: Mark) => {
      const text = textOf(phrase);
      if (!said.has(text)) notice(text, mark);
      said.add(text);
    },
    noticeUnwrapped: (text: Phrase) => writeNotice(textOf(text)),
    writeAlways: (text: Phrase) => writeLine(textOf(text)),
    setProgressBar: (bar) => status.setBar(bar && inLocale(bar, err)),
    waiting: createWaiting(status),
  };
}
