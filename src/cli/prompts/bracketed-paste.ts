import { Readable } from 'node:stream';
import type { Keyboard } from '../core/io.ts';
import type { PromptScreen } from './prompt-screen.ts';

/**
 * Replaces a line break in pasted text, until {@link withLineBreaks} turns it back. An unchanged line break would act as
 * Enter, and the rest of the text would answer the next questions.
 */
const mark = '⏎';

/** Converts the marks in a line back to line breaks. */
export function withLineBreaks(line: string): string {
  return line.replaceAll(mark, '\n');
}

/** Converts line breaks to marks, so that the text fits in one line. */
export function withMarks(text: string): string {
  return text.replaceAll('\n', mark);
}

/** What a terminal sends around pasted text. */
const pasteStart = '\u001b[200~';
const pasteEnd = '\u001b[201~';

const ctrlC = '\u0003';
const ctrlZ = '\u001a';

/**
 * What is typed at the question on `screen`. A pasted text is a single keypress event with its line breaks replaced, by marks
 * if they are kept, else by spaces. Terminals without bracketed paste behave as usual. Ctrl-Z suspends the program.
 */
export async function readPasting(keyboard: Keyboard, screen: PromptScreen, keepsLineBreaks: boolean) {
  const split = splitPasted();
  const input = Object.assign(new Readable({ read: () => {} }), { isTTY: true, setRawMode: () => {} });
  const type = (text: string) => {
    const [typed = '', ...rest] = text.split(ctrlZ);
    if (typed !== '') input.push(Buffer.from(typed, 'latin1'));
    if (rest.length > 0) keyboard.suspend();
  };
  const stop = await keyboard.listen({
    receive(chunk) {
      // Latin-1 has one character per byte, so that chunks can be split anywhere without breaking UTF-8.
      for (const { text, isPasted } of split(chunk.toString('latin1'))) {
        if (!isPasted) type(text);
        else {
          const pasted = Buffer.from(text, 'latin1').toString('utf8');
          emitText(input, replaceLineBreaks(pasted, keepsLineBreaks ? mark : ' '));
        }
      }
    },
    leave: screen.leave,
    redraw: screen.redraw,
  });
  return { input, close: stop };
}

/** Emits the text as one keypress: letter by letter, the line would be redrawn for each. */
function emitText(input: Readable, text: string): void {
  if (text !== '') input.emit('keypress', text, { sequence: text, name: '', ctrl: false, meta: false });
}

/** Also removes control characters, which must not become part of an answer. */
function replaceLineBreaks(text: string, instead: string): string {
  return text
    .trimEnd()
    .replace(/\r\n|\r|\n/g, instead)
    .replace(/\t/g, ' ')
    .replace(/\p{Cc}/gu, '');
}

interface Piece {
  readonly text: string;
  readonly isPasted: boolean;
}

/** Splits input chunks into typed text and pasted text. A pasted text is returned when it is complete. */
function splitPasted(): (chunk: string) => Piece[] {
  let isPasted = false;
  let rest = '';
  return (chunk) => {
    const pieces: Piece[] = [];
    let text = rest + chunk;
    for (;;) {
      const marker = isPasted ? pasteEnd : pasteStart;
      const at = text.indexOf(marker);
      if (at === -1) break;
      pieces.push({ text: text.slice(0, at), isPasted });
      text = text.slice(at + marker.length);
      isPasted = !isPasted;
    }
    // Ctrl-C must work even if the end of the pasted text never comes.
    if (isPasted && text.includes(ctrlC)) {
      text = ctrlC;
      isPasted = false;
    }
    rest = isPasted ? text : incompleteMarker(text);
    if (rest.length < text.length) pieces.push({ text: text.slice(0, text.length - rest.length), isPasted });
    return pieces.filter((piece) => piece.text !== '');
  };
}

/** The start of {@link pasteStart} that the text ends with. A single Escape is a key. */
function incompleteMarker(text: string): string {
  for (let length = pasteStart.length - 1; length > 1; length -= 1) {
    if (text.endsWith(pasteStart.slice(0, length))) return pasteStart.slice(0, length);
  }
  return '';
}
