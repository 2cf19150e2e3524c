import { memoize } from '../../base/memoize.ts';
import { DamagedError } from '../record/errors.ts';
import { type HistoryRecord, isInDoubt } from '../record/history-record.ts';
import { applyPatches, isHeaderOf, isLine, type LogHeader, logFormat, parseLine } from './log-lines.ts';
import type { LogName } from './log-name.ts';

/** The content of a log, up to its last whole line. */
export interface ParsedLog {
  readonly header: LogHeader;
  /**
   * The records by id, oldest first. If nothing in a whole log is open, they are parsed when they are first asked for: most changes
   * only have to know that such a log is not damaged.
   */
  records(): Map<string, HistoryRecord>;
  /** The number of whole lines. */
  readonly lines: number;
  /** The text of the whole lines; the last line break may be missing. */
  readonly text: string;
  /** Whether the log ends with a closing line. */
  readonly isClosed: boolean;
}

/**
 * Parses the text of a log. Every line up to the last closing line has to be there and whole. After the last closing line, or without
 * one, the last line may be broken in any way, because a process was killed or the power was cut: a broken line is left out. The
 * records of a log without a closing line are open, whatever the name of the log says. Throws a DamagedError for any other defect;
 * `file` is for its message.
 */
export function parseLog(text: string, name: LogName, file: string): ParsedLog {
  const chunks = text.split('\n');
  const header = parseLine(chunks[0] ?? '');
  if (header === null || !('format' in header)) {
    throw new DamagedError(file, text.trim() === '' ? 'is empty' : 'has no readable first line');
  }
  if (header.format > logFormat) {
    throw new DamagedError(file, `has format ${header.format} of a newer storectl version`, 'newer');
  }
  if (!isHeaderOf(header, name)) {
    const { id, number, operation } = header;
    throw new DamagedError(file, `contains log ${id} (number ${number}, ${operation})`);
  }
  const parse = () => parseRecords(text, header, name, file);
  if (isWholeAndClosed(chunks)) {
    return {
      header,
      records: memoize(() => parse().records),
      lines: chunks.length - 1,
      text,
      isClosed: true,
    };
  }
  const { records, ...found } = parse();
  return { header, records: () => records, ...found };
}

/** Whether each line of a log is there as it was written, and the last one closes it with nothing open. */
function isWholeAndClosed(chunks: readonly string[]): boolean {
  const closing = parseLine(chunks.at(-2) ?? '');
  if (closing === null || !('closed' in closing) || closing.closed.open.length > 0) return false;
  return chunks.at(-1) === '' && chunks.slice(0, -1).every((line, index) => isLine(line, index + 1));
}

function parseRecords(text: string, header: LogHeader, name: LogName, file: string) {
  const damaged = (problem: string) => new DamagedError(file, problem);
  const chunks = text.split('\n');
  const parsed = chunks.map(parseLine);
  const records = new Map<string, HistoryRecord>();
  let lines = 1;
  let isClosed = false;
  /** The ids of the open records; null for all. */
  let open: Set<string> | null = null;
  for (const line of parsed.slice(1)) {
    if (line === null) break;
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
  if (parsed.slice(lines).some((line) => line !== null)) throw damaged(`has a damaged line ${lines + 1}`);
  if (records.size === 0) throw damaged('ends before its first record');
  const rest = chunks.slice(lines).join('\n');
  const isEnded = isClosed && rest === '';
  // A log is named as closed after every doubt has ended and all outcomes were synced. So a record in doubt means a lost line.
  const inDoubt = name.status === 'closed' ? [...records.values()].find(isInDoubt) : undefined;
  if (inDoubt !== undefined) throw damaged(`ends before the outcome of ${inDoubt.id}`);
  for (const [id, record] of records)
    if (open?.has(id) === false) records.set(id, { ...record, open: false });
  return { records, lines, text: text.slice(0, text.length - rest.length), isClosed: isEnded };
}
