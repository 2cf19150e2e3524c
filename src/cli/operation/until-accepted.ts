import { valueAt } from '../../base/json.ts';
import { yourText } from '../core/sanitize.ts';
import type { Result, Run } from './call/run.ts';

/**
 * Calls `attempt`, which confirms and sends the request. If the user was asked for input, Escape goes back to the questions, and values
 * that the service refuses are asked for again. Then `attempt` is called again, and finds the new values in the same request.
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

/** Prints long texts that the user has typed at a prompt: they exist nowhere else, so an error must not lose them. */
function showLongTexts({ request, ui, fields }: Run): void {
  for (const { path: field, fileFlag } of fields) {
    const text = valueAt(request.body, field);
    if (fileFlag === null || typeof text !== 'string') continue;
    ui.writeAlways(yourText(`${text.replace(/\n$/, '')}\n`));
  }
}
