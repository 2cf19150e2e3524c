import { Readable } from 'node:stream';
import type { Io } from '../core/io.ts';

/**
 * What a line break becomes in a text that is pasted into a question: `mark` stands for it in the line that is typed,
 * and {@link withLineBreaks} takes it back. Without one it would be Enter, and the rest of the text would answer the next
 * questions, down to the one that sends.
 */
export type LineBreaks = 'mark' | 'space' | 'none';

const mark = '⏎';

/** A text that was typed or pasted into a line, as it was before. */
export function withLineBreaks(line: string): string {
  return line.replaceAll(mark, '\n');
}

/** A text as it stands in a line. */
export function withMarks(text: string): string {
  return text.replaceAll('\n', mark);
}

/** Ask the terminal to put the two marks below around what is pasted, and no longer to do so. */
const switchOn = '\u001b[?2004h';
const switchOff = '\u001b[?2004l';
const begin = '\u001b[200~';
const end = '\u001b[201~';

const interrupt = '\u0003';

/** The terminal's input for one question. */
export interface PastingInput {
  readonly input: Readable & { readonly isTTY: boolean };
  close(): void;
}

/**
 * The terminal's input, in which a pasted text is one key whatever its length, with its line breaks replaced; null takes
 * pasted text away, for questions that no text answers. A terminal that does not tell pasted text from typed one is left
 * as it is.
 */
export function readPasting(
  { stdin }: Pick<Io, 'stdin'>,
  output: NodeJS.WritableStream,
  lineBreaks: LineBreaks | null,
): PastingInput {
  const split = splitPasted();
  const input = Object.assign(new Readable({ read: () => {} }), {
    isTTY: true,
    setRawMode: (raw: boolean) => stdin.setRawMode?.(raw),
  });
  const onData = (chunk: Buffer | string) => {
    // One character for each byte: a mark may be cut anywhere, a letter must not be.
    for (const { text, isPasted } of split(Buffer.from(chunk).toString('latin1'))) {
      const bytes = Buffer.from(text, 'latin1');
      if (!isPasted) input.push(bytes);
      else if (lineBreaks !== null) pressText(input, replaceLineBreaks(bytes.toString('utf8'), lineBreaks));
    }
  };
  output.write(switchOn);
  stdin.on('data', onData);
  stdin.resume();
  return {
    input,
    close() {
      stdin.off('data', onData);
      stdin.pause();
      output.write(switchOff);
    },
  };
}

/** Letter by letter, the line would be drawn anew for each of them. */
function pressText(input: Readable, text: string): void {
  if (text !== '') input.emit('keypress', text, { sequence: text, name: '', ctrl: false, meta: false });
}

/** What acts on a terminal has no place in an answer. */
function replaceLineBreaks(text: string, lineBreaks: LineBreaks): string {
  const instead = { mark, space: ' ', none: '' }[lineBreaks];
  return text
    .replace(/\r\n|\r|\n/g, instead)
    .replace(/\t/g, ' ')
    .replace(/\p{Cc}/gu, '');
}

interface Piece {
  readonly text: string;
  readonly isPasted: boolean;
}

/** Takes the input as it comes, and gives back what was typed, and each pasted text when it is whole. */
export function splitPasted(): (chunk: string) => Piece[] {
  let isPasted = false;
  let rest = '';
  return (chunk) => {
    const pieces: Piece[] = [];
    let text = rest + chunk;
    for (;;) {
      const mark = isPasted ? end : begin;
      const at = text.indexOf(mark);
      if (at === -1) break;
      pieces.push({ text: text.slice(0, at), isPasted });
      text = text.slice(at + mark.length);
      isPasted = !isPasted;
    }
    // Ctrl-C must work where the end of a pasted text never comes.
    if (isPasted && text.includes(interrupt)) {
      text = interrupt;
      isPasted = false;
    }
    rest = isPasted ? text : cutMark(text);
    if (rest.length < text.length) pieces.push({ text: text.slice(0, text.length - rest.length), isPasted });
    return pieces.filter((piece) => piece.text !== '');
  };
}

/** The beginning of a mark that the text ends with; a lone Escape is a key. */
function cutMark(text: string): string {
  for (let length = begin.length - 1; length > 1; length -= 1) {
    if (text.endsWith(begin.slice(0, length))) return begin.slice(0, length);
  }
  return '';
}
