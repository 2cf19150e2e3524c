import type { CommandResult } from '../command/command-definition.ts';
import { printJson } from '../command/print-json.ts';
import type { Ui } from '../command/ui.ts';
import { choosePager } from '../output/pager.ts';
import { alignLines, wrapText } from '../output/wrap.ts';
import { type BatchWords, describeTotals, type ItemResult, mostSevereExitCode } from './item-result.ts';

/** What a batch is going to do, before it is asked for and sent. All texts are printable. */
export interface Plan {
  readonly words: BatchWords;
  /** Items whose result is known, each with what identifies it. */
  readonly known: readonly { readonly name: string; readonly result: ItemResult }[];
  readonly header: readonly string[];
  /** Items that are to be sent, one line each. */
  readonly rows: readonly (readonly string[])[];
  /** How many are to be sent: `12 to create`, `1 to check`. */
  readonly counts: readonly string[];
  /** Explanations, each a sentence or more. */
  readonly notes?: readonly string[];
}

/** Prints the plan of a dry run, with --json as documents. */
export function printPlan(ui: Ui, plan: Plan, documents: readonly object[]): CommandResult {
  const described = describePlan(ui, plan);
  if (ui.json) printJson(ui, documents);
  else {
    if (described !== '') ui.print(described);
    noticeRest(ui, plan);
  }
  ui.notice('dry run: nothing was sent');
  return { exitCode: mostSevereExitCode(plan.known.map(({ result }) => result.exitCode)) };
}

/**
 * Shows the plan before anything is sent. A terminal shows all of it, in a pager if it is long, and says that a question
 * follows; elsewhere the totals are enough, because the results follow. Without anything to say or send, the totals of the
 * results are enough.
 */
export function showPlan(ui: Ui, plan: Plan): void {
  if (plan.rows.length === 0 && problemsOf(plan).length === 0) return;
  const described = describePlan(ui, plan);
  const isPaged = plan.rows.length > 0 && choosePager(described, ui.io) !== null;
  const head = [inPager, ...(plan.notes ?? []).map((note) => wrapTo(ui, note))].join('\n\n');
  if (ui.canAsk) ui.print(isPaged ? `${head}\n\n${described}\n\n${inPager}` : described);
  noticeRest(ui, plan);
}

const inPager = 'This is the plan; nothing has been sent. Press q to close it and continue.';

/** In a terminal the totals, then what cannot be sent, and what is to be sent. What exists already is only counted. */
function describePlan(ui: Ui, plan: Plan): string {
  const problems = problemsOf(plan).map(
    ({ name, result }) => `${name}\n${wrapTo(ui, `  ${result.message}`)}`,
  );
  return [
    ui.canAsk ? wrapTo(ui, totalsOf(plan)) : '',
    problems.join('\n'),
    plan.rows.length === 0 ? '' : alignLines([plan.header, ...plan.rows], ui.out.width),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function wrapTo({ out: { width } }: Ui, text: string): string {
  return width === null ? text : wrapText(text, width);
}

function problemsOf({ known }: Plan): Plan['known'] {
  return known.filter(({ result }) => result.outcome !== 'exists');
}

/** `12 to create (draft), 1 to check, 2 already created, 1 cannot be created`. */
function totalsOf({ counts, words, ...plan }: Plan): string {
  const outcomes = plan.known.map(({ result }) => result.outcome);
  const known = describeTotals(outcomes, words, `cannot be ${words.applied}`);
  return [...counts, known].filter(Boolean).join(', ');
}

/** The totals, where the plan does not show them, and the notes. */
function noticeRest({ canAsk, notice, err }: Ui, plan: Plan): void {
  const { notes = [] } = plan;
  notice(canAsk ? '' : totalsOf(plan));
  for (const note of notes) notice(err.color.yellow(note));
  if (canAsk && notes.length > 0) notice('');
}
