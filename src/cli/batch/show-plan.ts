import { printJson } from '../command/print-json.ts';
import type { Ui } from '../command/ui.ts';
import { choosePager } from '../output/pager.ts';
import type { Style } from '../output/style.ts';
import { alignLines, wrapText } from '../output/wrap.ts';

/** What a batch is going to do, before it is asked for and sent. */
export interface Plan {
  /** Items that cannot be sent, whole, each with its reason. Printable. */
  readonly problems: readonly { readonly item: string; readonly reason: string }[];
  readonly header: readonly string[];
  /** Items that are to be sent, one line each. Printable. What exists already is only counted. */
  readonly rows: readonly (readonly string[])[];
  /** `12 to create, 2 already exist, 1 to check`. */
  readonly totals: string;
  /** Warnings and explanations, each a sentence or more. */
  readonly notes: readonly string[];
}

/** What cannot be sent, then what is to be sent; empty if there is neither. */
function describePlan({ problems, header, rows }: Omit<Plan, 'totals' | 'notes'>, { width }: Style): string {
  const reasonOf = (reason: string) =>
    (width === null ? reason : wrapText(reason, width - indent.length)).replace(/^/gm, indent);
  const bad = problems.map(({ item, reason }) => `${item}\n${reasonOf(reason)}`);
  const table = rows.length === 0 ? [] : [alignLines([header, ...rows], width)];
  return [...(bad.length === 0 ? [] : [bad.join('\n')]), ...table].join('\n\n');
}

const indent = '  ';

/** Prints the plan of a dry run, with --json as documents. */
export function printPlan(ui: Ui, plan: Plan, documents: readonly object[]): void {
  if (ui.json) printJson(ui, documents);
  else {
    const described = describePlan(plan, ui.out);
    if (described !== '') ui.print(described);
    noticeTotals(ui, plan);
  }
  ui.notice('dry run: nothing was sent');
}

/**
 * Shows the plan before anything is sent. A terminal shows all of it, in a pager if it is long, and says that a question
 * follows; elsewhere the totals are enough, because the results follow. Without anything to say or send, the totals of the
 * results are enough.
 */
export function showPlan(ui: Ui, plan: Plan, { isAsked }: { readonly isAsked: boolean }): void {
  if (plan.rows.length === 0 && plan.problems.length === 0) return;
  if (!ui.canAsk) {
    noticeTotals(ui, plan);
    return;
  }
  const described = describePlan(plan, ui.out);
  const isPaged = isAsked && choosePager(described, ui.io) !== null;
  const text = isPaged ? `${beforePager}\n\n${described}\n\n${beforePager}` : described;
  if (text !== '') ui.print(text);
  noticeTotals(ui, plan);
}

const beforePager = 'This is the plan; nothing has been sent. Press q to close it and continue.';

function noticeTotals({ canAsk, notice, err }: Ui, { totals, notes }: Plan): void {
  notice(canAsk ? `\n${totals}` : totals);
  for (const note of notes) notice(err.color.yellow(note));
  if (canAsk) notice('');
}
