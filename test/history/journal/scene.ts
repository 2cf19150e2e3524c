import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { FileSystem } from '../../../src/base/files/files.ts';
import { type Journal, type JournalSettings, openJournal } from '../../../src/history/journal/journal.ts';
import { type LogFolder, listLogs, readLog } from '../../../src/history/journal/log-folder.ts';
import type { LogName } from '../../../src/history/journal/log-name.ts';
import { beginLog } from '../../../src/history/journal/open-log.ts';
import type { Intent } from '../../../src/history/record/history-record.ts';
import { openReader } from '../../../src/history/snapshot.ts';
import { intent, store } from './values.ts';

const noon = Date.parse('2026-11-23T12:00:00Z');
export const dayMs = 24 * 3_600_000;

export interface JournalScene {
  readonly folder: string;
  readonly journal: Journal;
  /** The clock, which the test may set. */
  time: number;
  /** The same folder as another process finds it. */
  open(settings?: Partial<JournalSettings>): Journal;
  /** The files that are not folders, locks or hidden. */
  files(): string[];
  text(name?: string): string;
  write(text: string | Uint8Array, name?: string): void;
}

export function setJournalScene(fileSystem?: FileSystem): JournalScene {
  const folder = path.join(mkdtempSync(path.join(tmpdir(), 'storectl-journal-')), 'store');
  onTestFinished(() => rmSync(path.dirname(folder), { recursive: true, force: true }));
  const open = (settings: Partial<JournalSettings> = {}) =>
    openJournal({ folder, store, profile: 'main', process, now: () => scene.time, ...settings });
  const files = () => readdirSync(folder).filter((name) => name.endsWith('.jsonl') && !name.startsWith('.'));
  const only = (name = files()[0] ?? '') => path.join(folder, name);
  const scene: JournalScene = {
    folder,
    journal: open(fileSystem && { fileSystem }),
    time: noon,
    open,
    files,
    text: (name) => readFileSync(only(name), 'utf8'),
    write: (text, name) => writeFileSync(only(name), text),
  };
  return scene;
}

/** The records of a log, oldest first; empty if it is gone. */
export function readRecords(folder: LogFolder, log: LogName) {
  return [...(readLog(folder, log)?.records().values() ?? [])];
}

/** Why logs cannot be used. */
export function problemsIn(folder: LogFolder) {
  return openReader(folder).snapshot().list().problems;
}

/** What a change of this operation is refused for that has to know only that its history is whole: a code, or `none`. */
export function refusalOf(folder: LogFolder, operation: string): string {
  return codeOf(() => openReader(folder).snapshot().checkOpenAndRecent(operation));
}

/** All records, oldest first. */
export function allRecords(journal: Journal) {
  return listLogs(journal).flatMap((log) => readRecords(journal, log));
}

export function beginOne(journal: Journal, one: Intent = intent) {
  return beginLog(journal, { operation: one.operation, intents: [one], isBatch: false });
}

/** What a function throws: its code, or `none`. */
export function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return (error as { code: string }).code;
  }
  return 'none';
}
