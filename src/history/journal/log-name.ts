import { rawOperationId } from '../record/history-record.ts';

/** Folders beside the logs. */
export const locksFolder = 'locks';
export const damagedFolder = 'damaged';

/** The parts of the name of a log: `000123-20261123-k3f9a2-blog.create.open.jsonl`. */
export interface LogName {
  /** The whole name, without the folder. */
  readonly name: string;
  readonly number: number;
  /** The day in UTC, `20261123`. Tells the age of a log, never an order. */
  readonly date: string;
  readonly id: string;
  readonly operation: string;
  readonly status: LogStatus;
}

/**
 * A hint in the name of a log, so that few logs have to be read. The lines of the log decide.
 * - `open`: a process may be writing the log.
 * - `pending`: the closing line was written, and names open records.
 * - `closed`: the closing line was written, and names none.
 *
 * A power cut may keep the name and lose the closing line. Every other line was synced before the log got its name, so a log that is
 * called `closed` has no record in doubt.
 */
export type LogStatus = 'open' | 'pending' | 'closed';

/** 32 letters and digits, without `i`, `l`, `o` and `u`, which are easily misread. */
const idLetters = '0123456789abcdefghjkmnpqrstvwxyz';

/** An operation is a noun and a verb, or `api`. So `disputes.open.jsonl` is a closed log, and `disputes.open.open.jsonl` an open one. */
const pattern = new RegExp(
  `^(\\d{6,})-(\\d{8})-([${idLetters}]{6})-(${rawOperationId}|[a-z0-9-]+\\.[a-z0-9-]+)(?:\\.(open|pending))?\\.jsonl$`,
);

/** Null if the name is not that of a log. */
export function parseLogName(name: string): LogName | null {
  const [, number, date = '', id = '', operation = '', status = 'closed'] = pattern.exec(name) ?? [];
  if (number === undefined) return null;
  return { name, number: Number(number), date, id, operation, status: status as LogStatus };
}

/** Whether a log with this name may have open records. */
export function mayBeOpen(name: string): boolean {
  // A folder may have thousands of names, and most are of closed logs, so the cheap test comes first.
  return /\.(open|pending)\.jsonl$/.test(name) && (parseLogName(name)?.status ?? 'closed') !== 'closed';
}

/** The name of a log. Throws an Error if the name could not be parsed again. */
export function makeLogName(parts: Omit<LogName, 'name'>): LogName {
  const { number, date, id, operation, status } = parts;
  const suffix = status === 'closed' ? '' : `.${status}`;
  const name = `${String(number).padStart(6, '0')}-${date}-${id}-${operation}${suffix}.jsonl`;
  const made = parseLogName(name);
  if (made?.operation !== operation) throw new Error(`"${operation}" is not the id of an operation`);
  return made;
}

/** Six letters and digits. `random` are at least six bytes. */
export function makeLogId(random: Uint8Array): string {
  return Array.from(random.subarray(0, 6), (byte) => idLetters[byte % idLetters.length]).join('');
}

/** The UTC day of an instant, `20261123`. */
export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10).replaceAll('-', '');
}
