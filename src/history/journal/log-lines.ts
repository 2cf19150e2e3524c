import { parseJson } from '../../base/json.ts';
import { sha256 } from '../../base/sha256.ts';
import type { HistoryRecord, Intent } from '../record/history-record.ts';
import type { LogName } from './log-name.ts';

/** The version of the format. A change that an older program would misread needs a new number. */
export const logFormat = 1;

/** The first line of a log. */
export interface LogHeader {
  readonly format: number;
  readonly number: number;
  readonly id: string;
  readonly baseUrl: string;
  readonly storeId: string;
  readonly profile: string;
  readonly operation: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** The new fields of a record. The first patch of a record has the whole intent; fields that are null are left out. */
export type RecordPatch = Pick<HistoryRecord, 'id'> & Partial<HistoryRecord>;

export interface RecordsLine {
  readonly records: readonly RecordPatch[];
  /** ISO 8601. */
  readonly at: string;
}

export interface ClosingLine {
  readonly closed: {
    /** The number of records in the log. */
    readonly records: number;
    /** The ids of the open records. */
    readonly open: readonly string[];
  };
  readonly at: string;
}

/** `line` counts from 1, so that a missing, doubled or moved line is noticed. */
export type LogLine = { readonly line: number } & (LogHeader | RecordsLine | ClosingLine);

const before = ',"checksum":"';
const after = '"}';
const checksumLength = 64;

/** The text of a line with its line break. The last member is a checksum of all text before. */
export function serializeLine(line: LogLine): string {
  const content = JSON.stringify(line).slice(0, -1);
  return `${content}${before}${sha256(content)}${after}\n`;
}

/** Parses a line without its line break. Null if the line is not as it was written. */
export function parseLine(text: string): LogLine | null {
  const content = checkedContent(text);
  // A line with the right checksum was written by this program, so its shape is not checked.
  return content === null ? null : ((parseJson(`${content}}`) ?? null) as LogLine | null);
}

/** Whether a line without its line break is as it was written, and has this number. It is not parsed, which takes much longer. */
export function isLine(text: string, number: number): boolean {
  return text.startsWith(`{"line":${number},`) && checkedContent(text) !== null;
}

/** What the checksum of a line covers, or null if the line is not as it was written. */
function checkedContent(text: string): string | null {
  const end = text.length - before.length - checksumLength - after.length;
  if (end <= 0 || !text.endsWith(after) || !text.startsWith(before, end)) return null;
  const content = text.slice(0, end);
  return text.slice(end + before.length, -after.length) === sha256(content) ? content : null;
}

export function isHeaderOf(header: LogHeader, { id, number, operation }: LogName): boolean {
  return header.id === id && header.number === number && header.operation === operation;
}

/** Applies the patches of a line to the records. A record that a line names is open until the next closing line. */
export function applyPatches(
  records: Map<string, HistoryRecord>,
  header: LogHeader,
  { records: patches, at }: RecordsLine,
): void {
  for (const patch of patches) {
    const record = records.get(patch.id) ?? blankRecord(header, patch.id, at);
    records.set(patch.id, { ...record, updatedAt: at, ...patch, open: true });
  }
}

/** A record with its id, and no intent. */
export function blankRecord(
  { number, profile, baseUrl, storeId, operation }: LogHeader,
  id: string,
  at: string,
): HistoryRecord {
  return {
    id,
    number,
    createdAt: at,
    updatedAt: at,
    sentAt: at,
    profile,
    baseUrl,
    storeId,
    operation,
    class: 'one-shot',
    method: 'POST',
    parameters: {},
    path: '',
    requestTarget: null,
    ifMatch: null,
    body: null,
    fingerprint: '',
    idempotencyKey: null,
    replaced: null,
    safetyBackupId: null,
    undoes: null,
    safetyBackupFor: null,
    state: 'sent',
    attempts: 1,
    response: null,
    failure: null,
    supersededBy: null,
    open: true,
    requestLost: false,
  };
}

/** The first patch of a record. */
export function patchOfIntent(intent: Intent, id: string, createdAt: string): RecordPatch {
  const given = Object.fromEntries(Object.entries(intent).filter(([, value]) => value !== null));
  return { id, ...given, state: 'sent', attempts: 1, sentAt: createdAt, createdAt };
}
