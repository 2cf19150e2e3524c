import type { Context } from '../../../cli/command/context.ts';
import { printJson } from '../../../cli/command/print-json.ts';
import { cancelledError } from '../../../cli/core/errors.ts';
import { printable, printableInOneLine } from '../../../cli/core/sanitize.ts';
import { describeCounts } from '../../../cli/operation/run/bulk.ts';
import { alignLines } from '../../../cli/output/wrap.ts';
import type { PlannedPost } from './plan.ts';

/** What people read for a plan or an outcome, in the order of a summary. */
export const words = {
  send: 'create',
  settle: 'check',
  created: 'created',
  exists: 'exists',
  failed: 'failed',
  unknown: 'unknown',
  not_sent: 'not sent',
} as const;

/** The stable word of `--json`. */
function jsonWord({ plan }: PlannedPost): string {
  if ('outcome' in plan) return plan.outcome;
  return plan.do === 'settle' ? 'resend' : 'send';
}

function wordOf({ plan }: PlannedPost): string {
  return words['do' in plan ? plan.do : plan.outcome];
}

const wordsOfTotals: Readonly<Record<string, string>> = {
  create: 'to create',
  check: 'to check',
  exists: 'already exist',
};

/** `15 to create, 2 already exist`, from words of a plan or of outcomes. */
export function describeTotals(given: readonly string[]): string {
  const inTotals = (word: string) => wordsOfTotals[word] ?? word;
  const totals = describeCounts(given.map(inTotals), Object.values(words).map(inTotals));
  return totals.replace(/\b1 already exist\b/, '1 already exists');
}

/** Prints the plan of a dry run. */
export function printPlan(context: Context, planned: readonly PlannedPost[]): void {
  if (context.flags.json) {
    const rows = planned.map((one) => {
      const { file, slug, body } = one.post;
      return { file, slug, plan: jsonWord(one), body };
    });
    printJson(context, rows);
  } else {
    context.print(describePlan(planned, context.out.width));
  }
  context.notice('dry run: nothing was sent');
}

/**
 * Shows the plan before anything is sent. In a terminal it is a table, and the user is asked; throws 130 on a no.
 * Elsewhere it is one line with the totals.
 */
export async function showAndConfirmPlan(context: Context, planned: readonly PlannedPost[]): Promise<void> {
  if (!context.canPrompt) {
    context.notice(describeTotals(planned.map(wordOf)));
    return;
  }
  context.print(describeForQuestion(planned, context.out.width));
  if (!planned.some(({ plan }) => 'do' in plan)) return;
  const { askYesNo } = await import('../../../cli/prompts/prompts.ts');
  const { askFirst } = await import('../../../cli/prompts/questions.ts');
  if (!(await askFirst(() => askYesNo(context.io, questionOf(planned), true)))) throw cancelledError();
}

/** A longer plan of posts that are all created is shown by its beginning. */
const maxEqualRows = 10;

/** The plan above the question, which repeats the number of posts if all are created. */
export function describeForQuestion(planned: readonly PlannedPost[], width: number | null): string {
  const isEqual = planned.every(({ plan }) => 'do' in plan && plan.do === 'send');
  if (!isEqual) return `${describePlan(planned, width)}\n\n${describeTotals(planned.map(wordOf))}\n`;
  const shown = planned.length > maxEqualRows ? planned.slice(0, maxEqualRows / 2) : planned;
  const more = planned.length - shown.length;
  return `${describePlan(shown, width)}\n${more === 0 ? '' : `… and ${more} more\n`}`;
}

/** `1 post`, `15 posts`. */
export function countPosts(count = 0): string {
  return `${count} ${count === 1 ? 'post' : 'posts'}`;
}

/** `Create 15 posts and check 8 that were sent earlier?` */
export function questionOf(planned: readonly PlannedPost[]): string {
  const [send, settle] = (['send', 'settle'] as const).map(
    (wanted) => planned.filter(({ plan }) => 'do' in plan && plan.do === wanted).length,
  );
  if (!settle) return `Create ${countPosts(send)}?`;
  const earlier = `that ${settle === 1 ? 'was' : 'were'} sent earlier?`;
  return send
    ? `Create ${countPosts(send)} and check ${settle} ${earlier}`
    : `Check ${countPosts(settle)} ${earlier}`;
}

function describePlan(planned: readonly PlannedPost[], width: number | null): string {
  const rows = planned.map((one) => {
    const { file, slug, body } = one.post;
    const details = 'do' in one.plan ? String(body.title) : one.plan.message;
    return [wordOf(one), printable(file), printable(slug), printableInOneLine(details)];
  });
  const isReason = (row: number) => 'outcome' in (planned[row - 1]?.plan ?? {});
  return alignLines([['PLAN', 'FILE', 'SLUG', 'TITLE OR REASON'], ...rows], width, isReason);
}
