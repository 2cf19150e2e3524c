import type { Io } from '../core/io.ts';
import { askChoice, type Choice } from './prompts.ts';
import { nullOnBack } from './questions.ts';

/** Leads to a question for a value that is not offered. */
export const other: Choice = { value: '', name: 'Other…', isOther: true };

/** Lets the user choose a value, or type another one. Escape goes back from there to the choices. */
export async function chooseOrType<Answer>(
  io: Io,
  question: string,
  choices: readonly Choice[],
  preset: string | undefined,
  type: () => Promise<Answer>,
): Promise<string | Answer> {
  for (let chosen = preset; ; ) {
    const value = await askChoice(io, question, [...choices, other], chosen);
    if (value !== other.value) return value;
    chosen = value;
    const answer = await nullOnBack(type);
    if (answer !== null) return answer;
  }
}
