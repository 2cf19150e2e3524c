import type { Draft, Transcript } from '../core/io.ts';
import { displayWidth } from '../output/wrap.ts';

/** `size` says how large the terminal is now. */
export function openTranscript(size: () => { readonly columns: number; readonly rows: number }): Transcript {
  /** The questions that were answered, and the rows of each with what was written after it. */
  let entries: { readonly question: string; rows: number }[] = [];
  let columns = size().columns;
  let leftQuestion: string | null = null;
  /** What was entered at the questions that the user left, by their names. */
  const drafts = new Map<string, Draft>();
  /** Whether the last question was answered. */
  let isForward = false;

  /** A terminal that has another size now has moved everything. */
  function isMoved(): boolean {
    const now = size().columns;
    const moved = now !== columns;
    columns = now;
    return moved;
  }

  return {
    answered(question, rows) {
      if (isMoved()) entries = [];
      entries.push({ question: nameOf(question), rows });
      drafts.delete(nameOf(question));
      isForward = true;
      leftQuestion = null;
    },
    wentBack(question, draft) {
      leftQuestion = nameOf(question);
      drafts.set(leftQuestion, draft);
      isForward = false;
    },
    draftOf(question) {
      const draft = drafts.get(nameOf(question)) ?? null;
      // Who went another way than before has done with them: the same question may be about something else now.
      if (draft === null && isForward) drafts.clear();
      return draft;
    },
    wrote(text) {
      const last = entries.at(-1);
      if (last !== undefined) last.rows += screenRows(text.replace(/\n$/, ''), columns);
    },
    takeBack(question) {
      const name = nameOf(question);
      const isBack = leftQuestion !== null && leftQuestion !== name;
      leftQuestion = null;
      if (isMoved()) entries = [];
      const from = isBack ? entries.findLastIndex((entry) => entry.question === name) : -1;
      if (from === -1) return 0;
      const rows = entries.splice(from).reduce((sum, entry) => sum + entry.rows, 0);
      // What has scrolled away cannot be removed.
      return rows < size().rows ? rows : 0;
    },
  };
}

/** A question without its remarks, which change once there is an answer: `Cashback (for example 250)`. */
function nameOf(question: string): string {
  return question.replace(/ \([^()]*\)$/, '');
}

/** How many rows a text takes in a terminal. */
export function screenRows(text: string, columns: number): number {
  return text
    .split('\n')
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / columns)), 0);
}
