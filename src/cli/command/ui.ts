import type { Phrase } from '../config/phrase.ts';
import { phraseText } from '../config/phrase.ts';
import { type Io, isInputForbidden } from '../core/io.ts';
import { inAscii, isAsciiLocale } from '../output/ascii.ts';
import { choosePager, showInPager } from '../output/pager.ts';
import { type Style, styleOf } from '../output/style.ts';
import type { GlobalFlags } from './global-flags.ts';
import { createStatusLine, createWaiting, type Waiting } from './status-line.ts';

/** What talks to the person, or to the program that reads the output. */
export interface Ui extends Pick<GlobalFlags, 'json' | 'fields' | 'quiet'> {
  /** For the prompts and the pager. */
  readonly io: Io;
  /** Style of stdout and of stderr. */
  readonly out: Style;
  readonly err: Style;
  /** Whether the user can be asked: terminals on both ends, and prompts not forbidden. */
  readonly canAsk: boolean;
  /** Writes data to stdout. Text longer than the terminal goes through a pager, which blocks until the user leaves it. */
  print(text: string): void;
  /** Writes a message to stderr, wrapped at words in a terminal, not in `commands`. With --quiet, only if a question follows. */
  notice(text: Phrase): void;
  /** A notice that a command shows once, however often it comes. */
  noticeOnce(text: string): void;
  /** The same as `notice` without wrapping, because the user may copy the text, such as a command. */
  noticeToCopy(text: Phrase): void;
  /** Writes what the user typed to stderr before an error would lose it, with --quiet too. */
  saveUserText(text: string): void;
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
  const drawn = (text: string, { width }: Style) => (isAscii && width !== null ? inAscii(text) : text);
  const writeLine = (text: string) => status.writeAbove(() => io.stderr.write(`${drawn(text, err)}\n`));
  const untilQuestion: string[] = [];
  const writeNotice = quiet ? (text: string) => untilQuestion.push(text) : writeLine;
  io.beforeQuestion = () => untilQuestion.splice(0).forEach(writeLine);
  const wrapped = (text: string) =>
    err.width === null || err.plain ? text : (widths?.wrapText(text, err.width) ?? text);
  const notice = (text: Phrase) => writeNotice(wrapped(phraseText(text, flags)));
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
    print: (text) => {
      const ended = text.endsWith('\n') ? text : `${text}\n`;
      const whole = json ? ended : drawn(ended, out);
      const pager = out.width === null || json || quiet || flags.noInput ? null : choosePager(whole, io);
      if (pager !== null && showInPager(whole, pager, io)) return;
      status.writeAbove(() => io.stdout.write(whole));
    },
    notice,
    noticeOnce: (text) => {
      if (!said.has(text)) notice(text);
      said.add(text);
    },
    noticeToCopy: (text) => writeNotice(phraseText(text, flags)),
    saveUserText: writeLine,
    setProgressBar: (bar) => status.setBar(bar && drawn(bar, err)),
    waiting: createWaiting(status),
  };
}
