import { valueAt } from '../../base/json.ts';
import { yourText } from '../core/sanitize.ts';
import type { Result, Run } from './call/run.ts';

/**
 * Runs `attempt`, which confirms and sends a run. Where the user was asked for its input, Escape leads back to the questions, and
 * what the service refuses is asked for again: then it runs several times, with other values in the same request.
 */
export async function untilAccepted(run: Run, attempt: () => Promise<Result>): Promise<Result> {
  const { questions } = run;
  if (questions === null) return attempt();
  const { askUntilAccepted } = await import('./questions/review.ts');
  try {
    return await askUntilAccepted(run, questions, attempt);
  } catch (error) {
    showLongTexts(run);
    throw error;
  }
}

/** A long text that was typed at a prompt exists nowhere else, so an error must not lose it. */
function showLongTexts({ request, ui, fields }: Run): void {
  for (const { path: field, fileFlag } of fields) {
    const text = valueAt(request.body, field);
    if (fileFlag === null || typeof text !== 'string') continue;
    ui.writeAlways(yourText(`${text.replace(/\n$/, '')}\n`));
  }
}
