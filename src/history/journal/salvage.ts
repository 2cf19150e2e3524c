import { type HistoryRecord, isInDoubt } from './history-record.ts';
import { applyPatches, blankRecord, type LogHeader, type LogLine, parseLine } from './log-lines.ts';
import type { LogName } from './log-name.ts';

/** What can be read of a damaged log. */
export interface SalvagedLog {
  readonly header: LogHeader;
  /** By id. `open` says whether they are in doubt. */
  readonly records: ReadonlyMap<string, HistoryRecord>;
}

/**
 * Reads the whole lines of a damaged log, wherever they stand. Every record that may have been in it is in the result: with
 * its last whole outcome, as `unknown` without one, and as `unreadable` where its request is lost. `newHeader` is for a log
 * whose own header is lost.
 */
export function salvage(text: string, name: LogName, newHeader: LogHeader): SalvagedLog {
  const chunks = text.split('\n').filter((chunk) => chunk !== '');
  const found = chunks.map(parseLine);
  const lines = inOrder(found.filter((line) => line !== null));
  const header = lines.find((line) => isHeaderOf(line, name)) ?? newHeader;
  const records = new Map<string, HistoryRecord>();
  /** Ids with their request, and the line of it. */
  const requests = new Map<string, number>();
  let hasOthers = false;
  for (const line of lines) {
    if (!('records' in line)) continue;
    const own = line.records.filter(({ id }) => id === name.id || id.startsWith(`${name.id}.`));
    hasOthers ||= own.length < line.records.length;
    applyPatches(records, header, { at: line.at, records: own });
    for (const { id, operation } of own) {
      if (operation !== undefined && !requests.has(id)) requests.set(id, line.line);
    }
  }
  const closing = lines.findLast((line) => 'closed' in line);
  const lost = [...records.keys(), ...(closing?.closed.open ?? [])].filter((id) => !requests.has(id));
  for (const id of lost) records.set(id, { ...(records.get(id) ?? blank(header, id)), ...unreadable });
  const later = [...requests.values()].filter((line) => line > (closing?.line ?? 0)).length;
  const missing = closing === undefined ? 0 : closing.closed.records - (records.size - later);
  // A log gets its name with its first record.
  const mayHoldMore = hasOthers || records.size === 0 || !isKnownToTheEnd(found, lines, name);
  for (let count = Math.max(0, missing) + (mayHoldMore ? 1 : 0); count > 0; count -= 1) {
    const id = freeId(records, name);
    records.set(id, { ...blank(header, id), ...unreadable });
  }
  for (const [id, record] of records) {
    const settled = record.state === 'sent' ? { ...record, state: 'unknown' as const } : record;
    // Without its closing line, which records were told is not known.
    records.set(id, { ...settled, open: isInDoubt(settled) || closing === undefined });
  }
  return { header, records };
}

/** Its outcome says nothing without its request. */
const unreadable = { state: 'unknown', overtakenBy: null, path: '', body: null, unreadable: true } as const;

function blank(header: LogHeader, id: string): HistoryRecord {
  return blankRecord(header, id, header.createdAt);
}

/** Each line once, by the numbers that the lines have. */
function inOrder(lines: readonly LogLine[]): LogLine[] {
  const byNumber = new Map(lines.map((line) => [line.line, line]));
  return [...byNumber.values()].sort((one, other) => one.line - other.line);
}

function isHeaderOf(line: LogLine, { id, number, operation }: LogName): line is LogLine & LogHeader {
  return 'format' in line && line.id === id && line.number === number && line.operation === operation;
}

/**
 * Whether nothing can have been in the log but what its whole lines name: the last closing line counts the records before it,
 * and behind it nothing is missing or broken.
 */
function isKnownToTheEnd(
  found: readonly (LogLine | null)[],
  lines: readonly LogLine[],
  name: LogName,
): boolean {
  const closingAt = found.findLastIndex((line) => line !== null && 'closed' in line);
  if (found.lastIndexOf(null) > closingAt) return false;
  const closing = lines.findLast((line) => 'closed' in line);
  const from = closing?.line ?? 0;
  const last = lines.at(-1)?.line ?? 0;
  if (lines.filter(({ line }) => line > from).length !== last - from || last === 0) return false;
  if (name.status === 'open') return true;
  return (
    closing !== undefined &&
    (name.status === 'unsettled' || (last === from && closing.closed.open.length === 0))
  );
}

function freeId(records: ReadonlyMap<string, HistoryRecord>, { id }: LogName): string {
  for (let place = 1; ; place += 1) {
    if (!records.has(`${id}.${place}`)) return `${id}.${place}`;
  }
}
