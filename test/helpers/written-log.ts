import { readFileSync } from 'node:fs';
import { type LogHeader, logFormat, parseLine, serializeLine } from '../../src/history/journal/log-lines.ts';

/** What a line of a log holds: an outcome is any change of a record that is there already. */
type Held = 'header' | 'request' | 'outcome' | 'closing';

interface WrittenLine {
  readonly held: Held;
  /** Where its first byte is. */
  readonly start: number;
  /** Where the next line begins. */
  readonly end: number;
}

/** A log that the journal wrote, and where its lines are, as the journal reads them. */
export interface WrittenLog {
  readonly bytes: Buffer;
  readonly lines: readonly WrittenLine[];
}

/** Reads a log, each line of which must be whole. */
export function readWrittenLog(file: string): WrittenLog {
  const bytes = readFileSync(file);
  const lines: WrittenLine[] = [];
  for (let start = 0; start < bytes.length; start = lines.at(-1)?.end ?? bytes.length) {
    const end = bytes.indexOf('\n', start) + 1;
    const line = parseLine(bytes.toString('utf8', start, end - 1));
    if (line === null) throw new Error(`${file} is damaged at byte ${start}`);
    const isFirst = 'records' in line && line.records.some(({ operation }) => operation !== undefined);
    const held = 'format' in line ? 'header' : 'closed' in line ? 'closing' : isFirst ? 'request' : 'outcome';
    lines.push({ held, start, end });
  }
  return { bytes, lines };
}

/** The n-th of the lines that hold this, from 0; the last with -1. */
export function lineOf({ lines }: WrittenLog, held: Held, nth = 0): WrittenLine {
  const line = lines.filter((one) => one.held === held).at(nth);
  if (line === undefined) throw new Error(`the log has no such ${held}`);
  return line;
}

/** The log with other bytes in place of a line. */
export function replaceLine(
  { bytes }: WrittenLog,
  { start, end }: WrittenLine,
  by: string | Buffer = '',
): Buffer {
  return Buffer.concat([bytes.subarray(0, start), Buffer.from(by), bytes.subarray(end)]);
}

/** The log with a bit of a byte flipped: of one within the line, or `at` bytes behind its start, or before its end if negative. */
export function flipBit({ bytes }: WrittenLog, { start, end }: WrittenLine, at = 20): Buffer {
  const flipped = Buffer.from(bytes);
  const position = at < 0 ? end + at : start + at;
  flipped[position] = (flipped[position] ?? 0) ^ 1;
  return flipped;
}

/** The log up to a byte. */
export function cutAt({ bytes }: WrittenLog, position: number): Buffer {
  return bytes.subarray(0, position);
}

/** The log with a line twice. */
export function repeatLine(log: WrittenLog, line: WrittenLine): Buffer {
  const text = log.bytes.subarray(line.start, line.end);
  return replaceLine(log, line, Buffer.concat([text, text]));
}

/** The log with a line and a later one in each other's place. */
export function swapLines({ bytes }: WrittenLog, one: WrittenLine, other: WrittenLine): Buffer {
  return Buffer.concat([
    bytes.subarray(0, one.start),
    bytes.subarray(other.start, other.end),
    bytes.subarray(one.end, other.start),
    bytes.subarray(one.start, one.end),
    bytes.subarray(other.end),
  ]);
}

/** The log as a later version of this program would write it. */
export function newerLog(log: WrittenLog): Buffer {
  const header = lineOf(log, 'header');
  const written = parseLine(log.bytes.toString('utf8', header.start, header.end - 1)) as {
    readonly line: number;
  } & LogHeader;
  return replaceLine(log, header, serializeLine({ ...withoutChecksum(written), format: logFormat + 1 }));
}

/** A line as it was before it got its checksum. */
function withoutChecksum(written: { readonly line: number } & LogHeader) {
  const { checksum: _, ...line } = written as typeof written & { readonly checksum?: string };
  return line;
}
