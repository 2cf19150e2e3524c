import { closeSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import path from 'node:path';
import { type LoggedLines, linesById, mergeLines } from './batch/parse-log.ts';
import { type RecordOutline, recordIdPattern } from './records/outline.ts';

/** Limits of what is read while the user waits for Tab. */
const maxRecords = 200;
const maxBytes = 4 * 1024 * 1024;

/**
 * The newest records in the history's folder, newest first, for completion. Unlike {@link listRecords} it reads no more
 * than the user would wait for, checks nothing, repairs nothing and loads no schema: files that cannot be used are
 * passed over. Empty where there is no folder.
 */
export function readNewestRecords(folder: string): RecordOutline[] {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  const names = readdirSync(folder).sort().reverse();
  const logged = readNewestLogs(
    folder,
    names.filter((name) => name.endsWith('.batch')),
  );
  const filed = names.map((name) => path.basename(name, '.json')).filter((id) => recordIdPattern.test(id));
  const ids = new Set([...filed, ...logged.keys()]);
  const inFiles = new Set(filed);
  const records: RecordOutline[] = [];
  let bytes = 0;
  for (const id of [...ids].sort().reverse().slice(0, maxRecords)) {
    // A record's own file is newer than the log.
    const text = inFiles.has(id) ? readEnd(path.join(folder, `${id}.json`), maxBytes - bytes) : null;
    bytes += text?.length ?? 0;
    const record = outlineOf(mergeLines(text === null ? (logged.get(id) ?? []) : [text]));
    if (record !== null) records.push(record);
  }
  return records;
}

/** The ends of the newest logs of batches, of which the newest is the first. */
function readNewestLogs(folder: string, names: readonly string[]): LoggedLines {
  const lines: LoggedLines = new Map();
  let bytes = 0;
  for (const name of names) {
    if (lines.size >= maxRecords) break;
    const text = readEnd(path.join(folder, name), maxBytes - bytes) ?? '';
    bytes += text.length;
    for (const [id, states] of linesById(text.split('\n'))) lines.set(id, states);
  }
  return lines;
}

/** The text of a plain file, or its last `length` bytes. Null for anything else. */
function readEnd(file: string, length: number): string | null {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (!found?.isFile()) return null;
  const buffer = Buffer.alloc(Math.min(found.size, length));
  const descriptor = openSync(file, 'r');
  try {
    const read = readSync(descriptor, buffer, 0, buffer.length, found.size - buffer.length);
    return buffer.toString('utf8', 0, read);
  } finally {
    closeSync(descriptor);
  }
}

/** Null for what is no record of any version. */
function outlineOf(value: unknown): RecordOutline | null {
  const record = fieldsOf(value);
  const text = (name: string) => (typeof record[name] === 'string' ? record[name] : '');
  if (text('id') === '') return null;
  const { status, body, receivedAt } = fieldsOf(record.answer);
  return {
    id: text('id'),
    createdAt: text('createdAt'),
    origin: text('origin'),
    storeId: text('storeId'),
    operation: text('operation'),
    path: text('path'),
    state: text('state'),
    answer:
      typeof status === 'number'
        ? {
            status,
            body: typeof body === 'string' ? body : null,
            receivedAt: typeof receivedAt === 'string' ? receivedAt : '',
          }
        : null,
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return Object(value);
}
