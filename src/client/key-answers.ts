import type { Clock } from './clock.ts';
import type { Outcome } from './outcome/outcome.ts';

/** Whether a service applies the idempotency key in a header once. `unanswered`: the service could not be asked this time. */
export type KeyAnswer = 'yes' | 'no' | 'unanswered';

/** Time limit of a read that a change can do without, in milliseconds. */
export const helpTimeoutMs = 5_000;

/** How long an answer is shared, in milliseconds. A batch asks once; a client that is open for days asks again. */
const sharedMs = 60_000;

/** Whether a status is that of a service or gateway in trouble, or of a refused API key: such a response says nothing about keys. */
function isTrouble(status: number, retryAt: number | null): boolean {
  return (
    status === 401 || status === 408 || status >= 500 || retryAt !== null || status === 425 || status === 429
  );
}

/** The answer in a response to a `GET` with the key. Every status may have one (docs/contract.md, section 10). */
export function keyAnswerIn(read: Outcome): KeyAnswer {
  if (read.features.includes('keys')) return 'yes';
  if (read.kind === 'applied' || read.features.length > 0) return 'no';
  if (read.kind === 'not_sent') return 'unanswered';
  return read.status === null || isTrouble(read.status, read.retryAt) ? 'unanswered' : 'no';
}

/** A function that asks once for each kind of change, and shares the answer. `unanswered` is not shared. */
export function createKeyAnswers({ monotonic }: Pick<Clock, 'monotonic'>) {
  const answers = new Map<string, { readonly at: number; readonly answer: Promise<KeyAnswer> }>();
  return (kind: string, ask: () => Promise<Outcome>): Promise<KeyAnswer> => {
    const known = answers.get(kind);
    if (known !== undefined && monotonic() - known.at < sharedMs) return known.answer;
    const answer = ask().then((read) => {
      const found = keyAnswerIn(read);
      if (found === 'unanswered') answers.delete(kind);
      return found;
    });
    answers.set(kind, { at: monotonic(), answer });
    return answer;
  };
}
