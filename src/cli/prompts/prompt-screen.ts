import { Writable } from 'node:stream';
import type { Io } from '../core/io.ts';
import { inAscii } from '../output/ascii.ts';

const esc = '\u001b';

/** How a prompt begins that is drawn again: it goes below what it drew last, and erases that line by line. */
const erasing = new RegExp(`^(?:${esc}\\[\\d+B)?(?:${esc}\\[2K(?:${esc}\\[1A)?)+${esc}\\[G`);

const clearBelow = `${esc}[J`;
const showCursor = `${esc}[?25h`;

/** Make the terminal send the two sequences of a paste around pasted text, and stop it. */
const enablePasteMode = `${esc}[?2004h`;
const disablePasteMode = `${esc}[?2004l`;

export type PromptScreen = ReturnType<typeof openScreen>;

/**
 * The terminal that a prompt is drawn on. It knows what it shows, and can show it again on new lines. `readsLines`: the prompt
 * is only written, never redrawn. `isAscii`: the terminal shows ASCII alone.
 */
export function openScreen(
  terminal: Io['stdout'],
  { readsLines, isAscii }: { readonly readsLines: boolean; readonly isAscii: boolean },
) {
  let shown = '';
  const write = (prompt: string) => {
    const text = isAscii ? inAscii(prompt) : prompt;
    const drawn = text.replace(erasing, '');
    shown = drawn.length < text.length ? drawn : shown + text;
    terminal.write(text);
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
    columns: { get: () => terminal.columns },
    rows: { get: () => terminal.rows },
  });
  const [start, end] = readsLines ? ['', ''] : [enablePasteMode, disablePasteMode];
  terminal.write(start);
  return {
    output,
    /** Leaves the rest of the screen to the shell. */
    leave: () => void terminal.write(`${clearBelow}${showCursor}${end}\n`),
    redraw: () => void terminal.write(`${start}\r${shown}`),
    close: () => void terminal.write(end),
  };
}
