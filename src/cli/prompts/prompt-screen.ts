import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { type Io, usableColumns } from '../core/io.ts';
import { inAscii } from '../output/ascii.ts';
import { displayWidth } from '../output/wrap.ts';
import { screenRows } from './transcript.ts';

const esc = '\u001b';

/** How a prompt begins that is drawn again: it goes below what it drew last, and erases that line by line. */
const erasing = new RegExp(`^(?:${esc}\\[\\d+B)?(?:${esc}\\[2K(?:${esc}\\[1A)?)+${esc}\\[G`);

/** How a drawn prompt ends: the cursor goes up to the line where the user types, and to its column. */
const placing = new RegExp(`(?:${esc}\\[(\\d+)A)?(?:${esc}\\[\\d+G)*${esc}\\[(\\d+)G$`);

const clearBelow = `${esc}[J`;
const showCursor = `${esc}[?25h`;

/** Make the terminal send the two sequences of a paste around pasted text, and stop it. */
const enablePasteMode = `${esc}[?2004h`;
const disablePasteMode = `${esc}[?2004l`;

interface ScreenOptions {
  /** The stream that knows the size of the terminal: each learns of another size at its own time. */
  readonly size: Pick<Io['stdout'], 'columns' | 'rows'>;
  /** The prompt is only written, never redrawn. */
  readonly readsLines: boolean;
  /** The terminal shows ASCII alone. */
  readonly isAscii: boolean;
}

export type PromptScreen = ReturnType<typeof openScreen>;

/**
 * The terminal that a prompt is drawn on. It knows what it shows, and can show it again on new lines.
 */
export function openScreen(terminal: Io['stdout'], { size, readsLines, isAscii }: ScreenOptions) {
  let shown = '';
  const columns = () => usableColumns(size.columns);
  const write = (prompt: string) => {
    const text = isAscii ? inAscii(prompt) : prompt;
    const drawn = text.replace(erasing, '');
    const isRedrawn = drawn.length < text.length;
    // The prompt counts the lines that it drew, which are others once the terminal has another size.
    terminal.write(isRedrawn ? `${erase(rowsToCursor(shown, columns()))}${drawn}` : text);
    shown = isRedrawn ? drawn : shown + text;
  };
  const output = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      write(String(chunk));
      done();
    },
  });
  Object.defineProperties(output, {
    isTTY: { value: true },
    columns: { get: columns },
    rows: { get: () => size.rows },
  });
  const [start, end] = readsLines ? ['', ''] : [enablePasteMode, disablePasteMode];
  terminal.write(start);
  return {
    output,
    /** How many rows the prompt took, once it is answered. */
    rows: () => screenRows(stripVTControlCharacters(shown).replace(/\n$/, ''), columns()),
    /** Removes the rows above the cursor. */
    remove(rows: number): void {
      if (rows > 0) terminal.write(erase(rows));
    },
    /** Leaves the rest of the screen to the shell. */
    leave: () => void terminal.write(`${clearBelow}${showCursor}${end}\n`),
    redraw: () => void terminal.write(`${start}\r${shown}`),
    close: () => void terminal.write(end),
  };
}

/** Removes all from this many rows above the cursor on. */
function erase(rowsAbove: number): string {
  return `${rowsAbove > 0 ? `${esc}[${rowsAbove}A` : ''}\r${clearBelow}`;
}

/** How many rows lie above the one with the cursor in what was drawn, in a terminal of this width. */
function rowsToCursor(drawn: string, columns: number): number {
  const [, up = '0', column = '1'] = placing.exec(drawn) ?? [];
  const lines = stripVTControlCharacters(drawn).split('\n');
  const cursorLine = Math.max(lines.length - 1 - Number(up), 0);
  const above = lines.slice(0, cursorLine);
  const own = Math.floor((Number(column) - 1) / columns);
  return above.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / columns)), own);
}
