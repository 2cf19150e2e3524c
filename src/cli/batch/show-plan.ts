import type { CommandResult } from '../command/command-definition.ts';
import { printJson } from '../command/print-json.ts';
import type { Ui } from '../command/ui.ts';
import { type Phrase, phrase, toRun } from '../config/phrase.ts';
import { joined, line, type Printable, printable } from '../core/sanitize.ts';
import { alignBelow, alignRows, type Fit } from '../output/columns.ts';
import { upperFirst } from '../output/labels.ts';
import { choosePager } from '../output/pager.ts';
import type { Style } from '../output/style.ts';
import { renderTable } from '../output/tables.ts';
import { wrapText } from '../output/wrap.ts';
import { groupByReason, messageWithDetail, nameGroup } from './group-results.ts';
import { type BatchWords, describeTotals, type ItemResult, mostSevereExitCode } from './item-result.ts';

/** What a batch is going to do, before it is asked for and sent. */
export interface Plan {
  readonly words: BatchWords;
  /** Items whose result is known, each with what identifies it. */
  readonly known: readonly { readonly name: string; readonly result: ItemResult }[];
  readonly header: readonly string[];
  /** How each column is made to fit a narrow terminal; undefined for one that stays whole. */
  readonly fits: readonly (Fit | undefined)[];
  /** Items that are to be sent, one line each. */
  readonly rows: readonly (readonly string[])[];
  /** More about each row, on a line below it; empty for nothing. */
  readonly details?: readonly string[];
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
  for (const remedy of remediesOf(plan)) ui.notice(remedy);
  ui.notice('dry run: nothing was sent');
  return { exitCode: mostSevereExitCode(plan.known.map(({ result }) => result.exitCode)) };
}

/**
 * Shows the plan before anything is sent. A terminal shows all of it, in a pager if it is long, and says that a question
 * follows; elsewhere the totals are enough, because the results follow. Where nothing is to be sent the results follow at once,
 * and say the same.
 */
export function showPlan(ui: Ui, plan: Plan): void {
  if (plan.rows.length === 0) return;
  const described = describePlan(ui, plan);
  const isPaged = plan.rows.length > 0 && choosePager(described, ui.io) !== null;
  const notes = (plan.notes ?? []).map((note) => wrapTo(ui, note));
  if (ui.canAsk) ui.print(isPaged ? joined([inPager, ...notes, described, inPager], '\n\n') : described);
  noticeRest(ui, plan);
}

const inPager = line`This is the plan; nothing has been sent. Press q to close it and continue.`;

/** In a terminal the totals, then what cannot be sent, and what is to be sent. What exists already is only counted. */
function describePlan(ui: Ui, plan: Plan): Printable {
  const problems = groupByReason(problemsOf(plan).map(({ name, result }) => ({ item: name, result }))).map(
    ({ items, result }) => {
      const isOne = items.length === 1;
      const name = isOne ? (items[0] ?? '') : nameGroup(items, plan.words);
      const why = isOne ? messageWithDetail(result) : result.message;
      const reason = result.outcome === 'skipped' ? `skipped: ${why}` : why;
      return joined([wrapTo(ui, name), wrapTo(ui, line`  ${reason}`)], '\n');
    },
  );
  const parts = [
    ui.canAsk ? wrapTo(ui, totalsOf(plan)) : line``,
    joined(problems, '\n'),
    plan.rows.length === 0 ? line`` : tableOf(plan, ui.out),
  ];
  return joined(
    parts.filter((part) => part !== ''),
    '\n\n',
  );
}

function tableOf({ header, fits, rows, details = [] }: Plan, style: Style): Printable {
  const { width, plain, color } = style;
  if (plain) {
    const whole = rows.map((row, index) => (details[index] ? [...row, details[index]] : row));
    const names = details.some(Boolean) ? [...header, 'details'] : header;
    return renderTable(
      names.map((name) => name.toLowerCase()),
      whole,
      style,
    );
  }
  const [first = line``, ...lines] = alignRows([header, ...rows], fits, width);
  const below = (index: number) => (details[index] ? [alignBelow(details[index], width)] : []);
  return joined([color.bold(first), ...lines.flatMap((one, index) => [one, ...below(index)])], '\n');
}

function wrapTo({ out: { width } }: Ui, text: string): Printable {
  const shown = printable(text);
  return width === null ? shown : wrapText(shown, width);
}

/** What is not sent, first what is wrong. */
function problemsOf({ known }: Plan): Plan['known'] {
  const isSkipped = ({ result }: Plan['known'][number]) => result.outcome === 'skipped';
  const problems = known.filter(({ result }) => result.outcome !== 'exists');
  return [...problems.filter((one) => !isSkipped(one)), ...problems.filter(isSkipped)];
}

/** `12 to create (draft), 1 to check, 2 already created, 1 cannot be created`. */
function totalsOf({ counts, words, ...plan }: Plan): Printable {
  const outcomes = plan.known.map(({ result }) => result.outcome);
  const known = describeTotals(outcomes, words, `cannot be ${words.applied}`);
  return printable([...counts, known].filter(Boolean).join(', '));
}

/** What to do about items that cannot be sent, each once. Without a dry run, the error at the end says it. */
function remediesOf(plan: Plan): Phrase[] {
  const steps = problemsOf(plan).flatMap(({ result }) => (result.outcome === 'failed' ? result.remedy : []));
  const distinct = new Map(steps.map((step) => [JSON.stringify(step), step]));
  return [...distinct.values()].flatMap((step): Phrase[] => {
    if ('say' in step) return [line`${upperFirst(step.say)}.`];
    return 'run' in step ? [phrase`Run ${toRun(...step.run)} ${step.rest ?? ''}.`] : [];
  });
}

/** The totals, where the plan does not show them, and the notes. */
function noticeRest({ canAsk, notice }: Ui, plan: Plan): void {
  const { notes = [] } = plan;
  notice(canAsk ? line`` : totalsOf(plan));
  for (const note of notes) notice(printable(note), 'yellow');
  if (canAsk && notes.length > 0) notice('');
}
