import { joined, line, type Printable } from '../../../cli/core/sanitize.ts';
import type { Style } from '../../../cli/output/style.ts';
import { displayWidth } from '../../../cli/output/wrap.ts';

const gap = 2;
const maxWidth = 76;

interface Stop {
  readonly label: string;
  /** Epoch milliseconds. */
  readonly time: number;
}

/**
 * The times of a dispute as a line, for a terminal: when it was opened, today, and its deadlines. Empty without a deadline
 * that still counts, and where the line does not fit.
 */
export function describeTimeline(
  dispute: Readonly<Record<string, unknown>>,
  now: number,
  { color, width, plain }: Style,
): Printable {
  const isOpen = dispute.status === 'open';
  const stops = [
    ...stopOf('Opened', dispute.createdAt),
    { label: 'Today', time: now },
    ...stopOf('Deadline', dispute.deadlineAt),
    ...stopOf('Appeal deadline', dispute.appealDeadlineAt),
  ].sort((a, b) => a.time - b.time);
  const hasDeadline = stops.some(({ label, time }) => /deadline$/i.test(label) && (isOpen || time > now));
  if (width === null || plain || !hasDeadline) return line``;
  const columns = placeStops(stops, Math.min(width, maxWidth));
  if (columns === null) return line``;
  const lineOf = (text: (stop: Stop) => string) =>
    line`${stops.reduce((row, stop, index) => row.padEnd(columns[index] ?? 0) + text(stop), '')}`;
  const today = columns[stops.findIndex(({ label }) => label === 'Today')] ?? 0;
  const marks = Array.from({ length: (columns.at(-1) ?? 0) + 1 }, (_, column) => {
    if (column === today) return color.bold(line`◆`);
    if (columns.includes(column)) return line`●`;
    return column < today ? line`━` : color.dim(line`─`);
  });
  const rows = [lineOf(({ label }) => label), joined(marks, ''), lineOf(({ time }) => dayOf(time, now))];
  return joined(rows, '\n');
}

function stopOf(label: string, value: unknown): Stop[] {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? [] : [{ label, time }];
}

/** A column for each stop: in proportion to its time, moved so that no label covers another. Null if they do not fit. */
function placeStops(stops: readonly Stop[], width: number): number[] | null {
  const widths = stops.map(({ label }) => displayWidth(label) + gap);
  const room = width - (widths.at(-1) ?? 0) + gap;
  const [first, last] = [stops[0]?.time ?? 0, stops.at(-1)?.time ?? 0];
  const columns = stops.map(({ time }) => Math.round(((time - first) / Math.max(last - first, 1)) * room));
  for (let index = 1; index < columns.length; index += 1) {
    columns[index] = Math.max(columns[index] ?? 0, (columns[index - 1] ?? 0) + (widths[index - 1] ?? 0));
  }
  columns[columns.length - 1] = Math.min(columns.at(-1) ?? 0, room);
  for (let index = columns.length - 2; index >= 0; index -= 1) {
    columns[index] = Math.min(columns[index] ?? 0, (columns[index + 1] ?? 0) - (widths[index] ?? 0));
  }
  return (columns[0] ?? 0) < 0 ? null : columns;
}

/** `1 Dec`, in the local zone, and the year if it is another one. */
function dayOf(time: number, now: number): string {
  const date = new Date(time);
  const year = date.getFullYear() === new Date(now).getFullYear() ? '' : ` ${date.getFullYear()}`;
  return `${date.getDate()} ${date.toLocaleString('en', { month: 'short' })}${year}`;
}
