import type { Clock } from './clock.ts';
import type { Outcome } from './outcome/outcome.ts';

/** Whether a service applies the idempotency key of a header once; `unanswered` if it could not be asked this time. */
export type KeyAnswer = 'yes' | 'no' | 'unanswered';

/** For a read that only helps a change, in milliseconds. */
export const helpTimeoutMs = 5_000;

/** How long an answer is shared, in milliseconds: a batch asks once, and a client that lives for days asks again. */
const sharedMs = 60_000;

/** Statuses of a service or gateway in trouble, or that refuses the key of the API: they say nothing about keys. */
function isTrouble(status: number, retryAt: number | null): boolean {
  return (
    status === 401 || status === 408 || status >= 500 || retryAt !== null || status === 425 || status === 429
  );
}

/** What a response to a `GET` that was sent with the key says: any status will do (docs/contract.md, section 10). */
export function keyAnswerIn(read: Outcome): KeyAnswer {
  if (read.features.includes('keys')) return 'yes';
  if (read.kind === 'applied' || read.features.length > 0) return 'no';
  if (read.kind === 'not_sent') return 'unanswered';
  return read.status === null || isTrouble(read.status, read.retryAt) ? 'unanswered' : 'no';
}

/** Asks once for each kind of change, and shares the answer if there is one. */
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
