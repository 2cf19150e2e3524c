import { shortenId } from '../../cli/command/short-id.ts';
import type { Ui } from '../../cli/command/ui.ts';
import { joined, line, type Printable } from '../../cli/core/sanitize.ts';
import { formatAge } from '../../cli/output/format-value.ts';
import { describeState } from '../../cli/output/record-summary.ts';
import type { Style } from '../../cli/output/style.ts';
import { type Cell, renderLines } from '../../cli/output/tables.ts';
import { truncateText } from '../../cli/output/wrap.ts';
import { logIdOf } from '../../history/record/history-record.ts';
import { markedByHand } from '../../history/record/recorded-outcome.ts';
import type { ListedChange } from './summarize.ts';

/** In columns. --json prints labels whole. */
const maxLabelWidth = 60;

const header = ['id', 'age', 'operation', 'label', 'result'];

type Run<Change> = readonly [Change, ...Change[]];

/** The changes of one run of a command: of a batch several, else one. */
export type RunOfChanges = Run<ListedChange>;

/** The changes by their runs, in their order. The safety backup of a restore stays a change of its own. */
export function byRun<Change extends Pick<ListedChange, 'id' | 'operation'>>(
  changes: readonly Change[],
): Run<Change>[] {
  const runs = new Map<string, [Change, ...Change[]]>();
  for (const change of changes) {
    const key = `${logIdOf(change.id)} ${change.operation}`;
    const run = runs.get(key);
    if (run === undefined) runs.set(key, [change]);
    else run.push(change);
  }
  return [...runs.values()];
}

/**
 * The table, a row for each run. Where it has to be narrow, labels are cut, and ids are short, but differ from all of `known`.
 */
export function drawChanges(
  runs: readonly RunOfChanges[],
  { out }: Pick<Ui, 'out'>,
  known: readonly string[],
): Printable {
  const id = /\b[\da-f]{8}-[\da-f-]{27}$/;
  const rowsWith = (isWhole: boolean) => {
    const shown = (text: string) => (isWhole ? text : text.replace(id, (whole) => shortenId(whole, known)));
    return runs.map((run) => {
      const [newest] = run;
      const isOne = run.length === 1;
      return [
        isOne ? newest.id : logIdOf(newest.id),
        formatAge(Date.now() - Date.parse(newest.createdAt)),
        newest.operation,
        truncateText(line`${isOne ? shown(newest.label || '-') : labelOfRun(run)}`, maxLabelWidth),
        isOne
          ? describeResult({ ...newest, result: newest.result && shown(newest.result) }, out)
          : describeResults(run, out),
      ];
    });
  };
  return renderLines(header, rowsWith, [header.indexOf('label')], out);
}

/** `40 changes: Spring sale, Opening hours, …`, the first one first. */
function labelOfRun(run: RunOfChanges): string {
  const labels = new Set(run.toReversed().flatMap(({ label }) => label ?? []));
  return `${run.length} changes${labels.size === 0 ? '' : `: ${[...labels].join(', ')}`}`;
}

/** `38 applied, 2 rejected`. */
function describeResults(run: RunOfChanges, { color, width, plain }: Style): Cell {
  const counts = new Map<string, number>();
  for (const change of run) {
    const state = change.undoneBy === null ? describeState(change) : 'undone';
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  const words = line`${[...counts].map(([state, count]) => `${count} ${state}`).join(', ')}`;
  const isApplied = run.every(({ state, open }) => state === 'applied' && !open);
  if (isApplied)
    return width === null || plain ? words : { drawn: joined([color.green(line`✓`), words], ' ') };
  return { drawn: run.some(({ open }) => open) ? color.yellow(words) : color.red(words) };
}

/** The state in words, or as a mark in a terminal if it is applied, and the id or error after it. */
function describeResult(summary: ListedChange, { color, width, plain }: Style): Cell {
  const { state, open, result, undoneBy } = summary;
  if (undoneBy !== null) return `undone by ${undoneBy}`;
  const words = describeState(summary);
  const isDoubt = state === 'sent' || state === 'unknown';
  const text = result === null || isDoubt || result === markedByHand ? null : result;
  if (state === 'applied' && !open && width !== null && !plain)
    return { drawn: joined([color.green(line`✓`), line`${text ?? words}`], ' ') };
  if (state === 'applied' && !open) return text === null ? words : `${words} ${text}`;
  const paint = open ? color.yellow : color.red;
  return { drawn: joined([paint(line`${words}`), text === null ? line`` : line`: ${text}`], '') };
}
