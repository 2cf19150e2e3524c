import { styleText } from 'node:util';
import { useKeypress, useState } from '@inquirer/core';
import { type Io, usesColors } from '../../core/io.ts';

type Tone = 'bold' | 'dim' | 'blue' | 'cyan' | 'green' | 'red';

/** How questions are drawn on the terminal that shows them. */
export interface Look {
  /** Marks a text, unless the terminal has no colors. */
  paint(tone: Tone, text: string): string;
  /** The question, after the mark that says whether it is answered. */
  title(message: string, isDone: boolean): string;
  /** What is wrong with an answer. */
  problem(text: string): string;
}

export function lookOf({ stderr, stdout, env }: Pick<Io, 'stderr' | 'stdout' | 'env'>): Look {
  const hasColors = usesColors(stderr.isTTY ? stderr : stdout, env);
  const paint: Look['paint'] = (tone, text) => (hasColors && text !== '' ? styleText(tone, text) : text);
  return {
    paint,
    title(message, isDone) {
      const mark = isDone ? paint('green', '✔') : paint('blue', '?');
      // Each line is marked by itself: the last one is measured to place the cursor.
      const lines = message.split('\n').map((line) => paint('bold', line));
      return `${mark} ${lines.join('\n')}`;
    },
    problem: (text) => paint('red', `> ${text}`),
  };
}

/** The name of the key that {@link useResize} takes for a terminal that has another size now. */
export const resized = 'resize';

/** Draws the question again when the terminal has another size. */
export function useResize(): void {
  const [count, setCount] = useState(0);
  useKeypress(({ name }) => {
    if (name === resized) setCount(count + 1);
  });
}
