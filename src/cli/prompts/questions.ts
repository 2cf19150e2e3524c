import type { Context } from '../command/context.ts';
import { WentBack } from '../core/errors.ts';

/** Asks for something, and stores the answer. Asked again, it offers what was answered before. */
export interface Question {
  ask(): Promise<void>;
}

/**
 * The questions of a command. They are looked up before each is asked, so that some may follow from the answers to those
 * before them.
 */
export type Questions = () => readonly Question[];

/** Says how to go back, before the first of several questions. */
export function explainKeys({ err, notice }: Pick<Context, 'err' | 'notice'>): void {
  notice(err.color.dim(`${err.plain ? '< and Enter' : 'Esc'} goes back, Ctrl-C cancels.`));
}

/** Asks the questions in turn. Escape goes back to the one before; at the first it is thrown on as {@link WentBack}. */
export async function askInTurn(questions: Questions, from = 0): Promise<void> {
  for (let index = Math.max(0, from); ; ) {
    const question = questions()[index];
    if (question === undefined) return;
    try {
      await question.ask();
      index += 1;
    } catch (error) {
      if (!(error instanceof WentBack) || index === 0) throw error;
      index -= 1;
    }
  }
}

/** The same where nothing comes before the first: it is asked again, since to leave would lose all the answers. */
export async function askFromStart(questions: Questions, from = 0): Promise<void> {
  for (let next = from; ; next = 0) {
    if ((await unlessBack(() => askInTurn(questions, next).then(() => true))) !== null) return;
  }
}

/** The same for steps of which each may ask or not. */
export async function askInOrder(...steps: readonly (() => Promise<void>)[]): Promise<void> {
  await askFromStart(() => steps.map((ask) => ({ ask })));
}

/** The answer to a question that has none before it. */
export async function askFirst<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answered = await unlessBack(async () => ({ answer: await ask() }));
    if (answered !== null) return answered.answer;
  }
}

/** The answer, or null where the user went back. */
export async function unlessBack<Answer>(ask: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof WentBack) return null;
    throw error;
  }
}
