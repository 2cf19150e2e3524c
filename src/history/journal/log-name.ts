import { rawOperationId } from '../record/history-record.ts';

/** Folders beside the logs. */
export const locksFolder = 'locks';
export const damagedFolder = 'damaged';

/** What the name of a log says: `000123-20261123-k3f9a2-blog.create.open.jsonl`. */
export interface LogName {
  /** Name in the folder. */
  readonly name: string;
  readonly number: number;
  /** UTC, `20261123`: for ages only. */
  readonly date: string;
  readonly id: string;
  readonly operation: string;
  readonly status: LogStatus;
}

/**
 * What a name says of its log: a hint, so that few logs have to be read. What is open is in the lines. `open`: a process may be
 * writing it. `pending`: it had its closing line written, and records are open. `closed`: the same, and none is open. A power
 * cut may keep the name and lose the closing line. But every line before was synced before the log got the name, so no record in
 * doubt is called `closed`.
 */
export type LogStatus = 'open' | 'pending' | 'closed';

/** 32 letters and digits, without those that are easily taken for another. */
const idLetters = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * An operation is a noun and a verb, or `api`: so `disputes.open.jsonl` is closed, and `disputes.open.open.jsonl` is open.
 */
const pattern = new RegExp(
  `^(\\d{6,})-(\\d{8})-([${idLetters}]{6})-(${rawOperationId}|[a-z0-9-]+\\.[a-z0-9-]+)(?:\\.(open|pending))?\\.jsonl$`,
);

/** Null for the name of anything else. */
export function parseLogName(name: string): LogName | null {
  const [, number, date = '', id = '', operation = '', status = 'closed'] = pattern.exec(name) ?? [];
  if (number === undefined) return null;
  return { name, number: Number(number), date, id, operation, status: status as LogStatus };
}

/** Whether a log may have open records, by its name. */
export function mayBeOpen(name: string): boolean {
  // Most are closed, and need not be parsed: a folder may have thousands.
  return /\.(open|pending)\.jsonl$/.test(name) && (parseLogName(name)?.status ?? 'closed') !== 'closed';
}

/** Throws an Error for an operation that no name can have. */
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
