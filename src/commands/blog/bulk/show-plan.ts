import type { Context } from '../../../cli/command/context.ts';
import { printJson } from '../../../cli/command/print-json.ts';
import { cancelledError } from '../../../cli/core/errors.ts';
import { printable, printableInOneLine } from '../../../cli/core/sanitize.ts';
import { describeCounts } from '../../../cli/operation/run/bulk.ts';
import { alignLines } from '../../../cli/output/wrap.ts';
import type { Plan } from './plan.ts';
import type { PostFile } from './post-files.ts';

/** What people read for a plan or an outcome, in the order of a summary. */
export const words = {
  send: 'create',
  settle: 'settle',
  created: 'created',
  exists: 'exists',
  failed: 'failed',
  unknown: 'unknown',
  not_sent: 'not sent',
} as const;

/** The stable word of `--json`. */
function jsonWord(plan: Plan | undefined): string {
  if (plan === undefined || 'do' in plan) return plan?.do === 'settle' ? 'send again to settle it' : 'send';
  return plan.outcome;
}

function wordOf(plan: Plan | undefined): string {
  return words[plan === undefined ? 'send' : 'do' in plan ? plan.do : plan.outcome];
}

/** Prints the plan of a dry run. */
export function printPlan(context: Context, posts: readonly PostFile[], plans: readonly Plan[]): void {
  if (context.flags.json) {
    const rows = posts.map(({ file, slug, body }, index) => ({
      file,
      slug,
      plan: jsonWord(plans[index]),
      body,
    }));
    printJson(context, rows);
  } else {
    context.print(describePlan(posts, plans, context.out.width));
  }
  context.notice('dry run: nothing was sent');
}

/**
 * Shows the plan before anything is sent. In a terminal it is a table, and the user is asked; throws 130 on a no.
 * Elsewhere it is one line with the totals.
 */
export async function showAndConfirmPlan(
  context: Context,
  posts: readonly PostFile[],
  plans: readonly Plan[],
): Promise<void> {
  const count = plans.filter((plan) => 'do' in plan).length;
  const totals = describeCounts(plans.map(wordOf));
  if (!context.canPrompt) {
    context.notice(`Plan: ${totals}.`);
    return;
  }
  context.print(`${describePlan(posts, plans, context.out.width)}\n\n${totals}\n`);
  if (count === 0) return;
  const { askYesNo } = await import('../../../cli/prompts/prompts.ts');
  const { askFirst } = await import('../../../cli/prompts/questions.ts');
  const question = count === 1 ? 'Create 1 post?' : `Create ${count} posts?`;
  if (!(await askFirst(() => askYesNo(context.io, question, true)))) throw cancelledError();
}

function describePlan(posts: readonly PostFile[], plans: readonly Plan[], width: number | null): string {
  const rows = posts.map(({ file, slug, body }, index) => {
    const plan = plans[index];
    const details = plan === undefined || 'do' in plan ? String(body.title) : plan.message;
    return [wordOf(plan), printable(file), printable(slug), printableInOneLine(details)];
  });
  return alignLines([['PLAN', 'FILE', 'SLUG', 'TITLE OR REASON'], ...rows], width);
}
