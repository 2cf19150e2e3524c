import { printJson } from '../command/print-json.ts';
import type { Ui } from '../command/ui.ts';
import { choosePager } from '../output/pager.ts';
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

/** In a terminal the totals, then what cannot be sent, and what is to be sent. */
function describePlan({ canAsk, out: { width } }: Ui, { totals, problems, header, rows }: Plan): string {
  const reasonOf = (reason: string) =>
    (width === null ? reason : wrapText(reason, width - indent.length)).replace(/^/gm, indent);
  return [
    canAsk ? totals : '',
    problems.map(({ item, reason }) => `${item}\n${reasonOf(reason)}`).join('\n'),
    rows.length === 0 ? '' : alignLines([header, ...rows], width),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

const indent = '  ';

/** Prints the plan of a dry run, with --json as documents. */
export function printPlan(ui: Ui, plan: Plan, documents: readonly object[]): void {
  const described = describePlan(ui, plan);
  if (ui.json) printJson(ui, documents);
  else if (described !== '') ui.print(described);
  if (!ui.json) noticeRest(ui, plan);
  ui.notice('dry run: nothing was sent');
}

/**
 * Shows the plan before anything is sent. A terminal shows all of it, in a pager if it is long, and says that a question
 * follows; elsewhere the totals are enough, because the results follow. Without anything to say or send, the totals of the
 * results are enough.
 */
export function showPlan(ui: Ui, plan: Plan, { isAsked }: { readonly isAsked: boolean }): void {
  if (plan.rows.length === 0 && plan.problems.length === 0) return;
  const described = describePlan(ui, plan);
  const isPaged = isAsked && choosePager(described, ui.io) !== null;
  if (ui.canAsk) ui.print(isPaged ? `${beforePager}\n\n${described}\n\n${beforePager}` : described);
  noticeRest(ui, plan);
}

const beforePager = 'This is the plan; nothing has been sent. Press q to close it and continue.';

/** The totals, where the plan does not show them, and the notes. */
function noticeRest({ canAsk, notice, err }: Ui, { totals, notes }: Plan): void {
  notice(canAsk ? '' : totals);
  for (const note of notes) notice(err.color.yellow(note));
  if (canAsk && notes.length > 0) notice('');
}
