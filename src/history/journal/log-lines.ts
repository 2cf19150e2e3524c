import { parseJson } from '../../base/json.ts';
import { sha256 } from '../../base/sha256.ts';
import type { HistoryRecord, Intent } from '../record/history-record.ts';
import type { LogName } from './log-name.ts';

/** A change of what a line says that an older version would misread needs a new number. */
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

/** The fields of a record that are new. The first one of a record has its whole intent; what is null there is left out. */
export type RecordPatch = Pick<HistoryRecord, 'id'> & Partial<HistoryRecord>;

export interface RecordsLine {
  readonly records: readonly RecordPatch[];
  /** ISO 8601. */
  readonly at: string;
}

export interface ClosingLine {
  readonly closed: {
    /** How many records there are in all lines before. */
    readonly records: number;
    /** Ids of those that are open. */
    readonly open: readonly string[];
  };
  readonly at: string;
}

/** `line` counts from 1, so a line that is missing, doubled or in another place is noticed. */
export type LogLine = { readonly line: number } & (LogHeader | RecordsLine | ClosingLine);

const before = ',"checksum":"';
const after = '"}';
const checksumLength = 64;

/** The text of a line with its line break. Its last member is a checksum over everything before. */
export function serializeLine(line: LogLine): string {
  const content = JSON.stringify(line).slice(0, -1);
  return `${content}${before}${sha256(content)}${after}\n`;
}

/** Null if the text, which has no line break, is not a line as it was written. */
export function parseLine(text: string): LogLine | null {
  const end = text.length - before.length - checksumLength - after.length;
  if (end <= 0 || !text.endsWith(after) || !text.startsWith(before, end)) return null;
  const content = text.slice(0, end);
  if (text.slice(end + before.length, -after.length) !== sha256(content)) return null;
  // A checksum that is right stands for the shape as well: this program wrote it.
  return (parseJson(`${content}}`) ?? null) as LogLine | null;
}

export function isHeaderOf(header: LogHeader, { id, number, operation }: LogName): boolean {
  return header.id === id && header.number === number && header.operation === operation;
}

/** Adds what a line says to the records. Everything that a line names is open until a closing line says otherwise. */
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

/** A record of which nothing but its id is known. */
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
