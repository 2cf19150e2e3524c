import { DamagedError } from '../errors.ts';
import type { HistoryRecord } from './history-record.ts';
import { applyPatches, type LogHeader, logFormat, parseLine } from './log-lines.ts';
import type { LogName } from './log-name.ts';

/** What a log says, up to its last whole line. */
export interface ParsedLog {
  readonly header: LogHeader;
  /** By id, oldest first. */
  readonly records: Map<string, HistoryRecord>;
  /** Number of whole lines. */
  readonly lines: number;
  /** Characters up to the end of the last whole line; a line break there may be missing. */
  readonly length: number;
  /** Whether the log ends with a closing line. */
  readonly isClosed: boolean;
}

/**
 * Reads the text of a log. Up to the last closing line every line has to be there and whole. Behind it, or without one in a
 * log that is `open`, a process was killed: what it wrote last may be broken in any way, and is left out. Throws a DamagedError
 * with `file` otherwise.
 */
export function parseLog(text: string, name: LogName, file: string): ParsedLog {
  const damaged = (problem: string) => new DamagedError(file, problem);
  const lineEnd = (from: number) => (text.indexOf('\n', from) + 1 || text.length + 1) - 1;
  let length = lineEnd(0);
  const header = parseLine(text.slice(0, length));
  if (header === null || !('format' in header)) {
    throw damaged(text.trim() === '' ? 'is empty' : 'has no readable first line');
  }
  if (header.format > logFormat) {
    throw new DamagedError(file, `has format ${header.format} of a newer storectl version`, 'newer');
  }
  if (header.id !== name.id || header.number !== name.number || header.operation !== name.operation) {
    throw damaged(`contains log ${header.id} (number ${header.number}, ${header.operation})`);
  }
  const records = new Map<string, HistoryRecord>();
  let lines = 1;
  let isClosed = false;
  /** What is open of the records; null means all. */
  let open: Set<string> | null = null;
  while (length + 1 < text.length) {
    const end = lineEnd(length + 1);
    const line = parseLine(text.slice(length + 1, end));
    if (line === null) break;
    length = end;
    lines += 1;
    if (line.line !== lines) throw damaged(`has line ${line.line} in place of line ${lines}`);
    isClosed = 'closed' in line;
    if ('records' in line) {
      const unknown = line.records.find(({ id, operation }) => operation === undefined && !records.has(id));
      if (unknown !== undefined) throw damaged(`has no request of ${unknown.id}`);
      applyPatches(records, header, line);
      for (const { id } of line.records) open?.add(id);
    } else if ('closed' in line) {
      open = new Set(line.closed.open);
      if (line.closed.records !== records.size || !line.closed.open.every((id) => records.has(id))) {
        throw damaged('has other records than its closing line says');
      }
    }
  }
  const rest = text.slice(length + 1);
  if (hasWholeLine(rest)) throw damaged(`has a damaged line ${lines + 1}`);
  if (records.size === 0) throw damaged('ends before its first record');
  const isWhole = name.status === 'closed' ? isClosed && rest === '' && open?.size === 0 : open !== null;
  if (name.status !== 'open' && !isWhole) throw damaged('ends before its closing line');
  for (const [id, record] of records)
    if (open?.has(id) === false) records.set(id, { ...record, open: false });
  return {
    header,
    records,
    lines,
    length: Math.min(length + 1, text.length),
    isClosed: isClosed && rest === '',
  };
}

function hasWholeLine(text: string): boolean {
  return text.split('\n').some((line) => parseLine(line) !== null);
}
