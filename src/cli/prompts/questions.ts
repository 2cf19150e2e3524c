import type { Ui } from '../command/ui.ts';
import { WentBack } from '../core/errors.ts';
import { readsLines } from '../core/io.ts';
import { line } from '../core/sanitize.ts';

/** Asks for something, and stores the answer. Asked again, it offers what was answered before. */
export type Question = () => Promise<void>;

/** The questions of a command. Called again before each question, because later ones may depend on earlier answers. */
export type Questions = () => readonly Question[];

/** Explains Escape and Ctrl-C before a question that has one before it, once in a command. */
export function explainKeys({ io, noticeOnce }: Ui): void {
  const back = readsLines(io.env) ? 'Type < and press Enter' : 'Press Esc';
  noticeOnce(line`${back} for the previous question, Ctrl-C to cancel.`, 'dim');
}

/** The questions, with the keys explained once the first is answered: before it there is none to go back to. */
export function withKeysExplained(ui: Ui, questions: Questions): Questions {
  return () =>
    questions().map((question, index) => () => {
      if (index > 0) explainKeys(ui);
      return question();
    });
}

/** Asks the questions in turn. Escape goes back to the previous one; at the first it throws {@link WentBack}. */
export async function askEach(questions: Questions, from = 0): Promise<void> {
  for (let index = Math.max(0, from); ; ) {
    const question = questions()[index];
    if (question === undefined) return;
    try {
      await question();
      index += 1;
    } catch (error) {
      if (!(error instanceof WentBack) || index === 0) throw error;
      index -= 1;
    }
  }
}

/** Like {@link askEach}, but Escape at the first question asks it again, so that no answers are lost. */
export async function askAll(questions: Questions, from = 0): Promise<void> {
  for (let next = from; ; next = 0) {
    if ((await nullOnBack(() => askEach(questions, next).then(() => true))) !== null) return;
  }
}

/** Asks a question that has none before it: Escape asks it again. */
export async function askOne<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answered = await nullOnBack(async () => ({ answer: await ask() }));
    if (answered !== null) return answered.answer;
  }
}

/** The answer, or null if the user pressed Escape. */
export async function nullOnBack<Answer>(ask: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof WentBack) return null;
    throw error;
  }
}
