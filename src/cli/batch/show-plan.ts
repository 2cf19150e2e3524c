import type { Context } from '../command/context.ts';
import { choosePager, isLongerThan } from '../output/pager.ts';
import { alignLines } from '../output/wrap.ts';

/** What a batch is going to do, before it is asked for and sent. */
export interface Plan {
  readonly header: readonly string[];
  /** What matters first. What exists already is only counted. */
  readonly rows: readonly PlanRow[];
  /** `12 to create, 2 already exist, 1 to check`. */
  readonly totals: string;
  /** Warnings and explanations, each a sentence or more. */
  readonly notes: readonly string[];
}

export interface PlanRow {
  /** Printable, in one line. */
  readonly cells: readonly string[];
  /** The last cell is a reason, which is never cut. */
  readonly hasReason: boolean;
}

/** The rows of a plan; empty if there are none. */
export function describeRows({ header, rows }: Pick<Plan, 'header' | 'rows'>, width: number | null): string {
  if (rows.length === 0) return '';
  return alignLines([header, ...rows.map(({ cells }) => cells)], width, (row) => rows[row - 1]?.hasReason === true);
}

/** Prints the plan of a dry run, or of a terminal. */
export function printPlan(context: Context, plan: Plan): void {
  const table = describeRows(plan, context.out.width);
  if (table !== '') context.print(table);
  noticeTotals(context, plan);
}

/**
 * Shows the plan before anything is sent. A terminal shows all of it, in a pager if it is long, and a question may follow;
 * elsewhere it is its totals.
 */
export function showPlan(context: Context, plan: Plan, { isAsked }: { readonly isAsked: boolean }): void {
  if (!context.canPrompt) return noticeTotals(context, plan);
  const table = describeRows(plan, context.out.width);
  const isPaged = isAsked && choosePager(context.io) !== null && isLongerThan(table, context.io.stdout);
  const next = 'This is the plan. Nothing is sent yet: press q to leave it, and answer the question that follows.';
  if (table !== '') context.print(isPaged ? `${next}\n\n${table}\n\n${next}` : table);
  noticeTotals(context, plan);
}

function noticeTotals({ canPrompt, notice, err }: Context, { totals, notes }: Plan): void {
  notice(canPrompt ? `\n${totals}` : totals);
  for (const note of notes) notice(err.color.yellow(note));
  if (canPrompt) notice('');
}
