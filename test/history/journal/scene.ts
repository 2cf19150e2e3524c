import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { FileSystem } from '../../../src/history/journal/files.ts';
import type { Intent, RecordChange, RecordedResponse } from '../../../src/history/journal/history-record.ts';
import { type Journal, type JournalSettings, openJournal } from '../../../src/history/journal/journal.ts';

export const store = { baseUrl: 'https://api.example.com', storeId: '4be5a3c0-0000-4000-8000-000000000001' };

export const intent: Intent = {
  operation: 'backup.create',
  class: 'keyed',
  method: 'POST',
  path: '/stores/1/backups',
  ifMatch: null,
  body: '{"label":"nächtlich","idempotencyKey":"K"}',
  fingerprint: 'f'.repeat(64),
  idempotencyKey: 'K',
  former: null,
  safetyBackupId: null,
  undoes: null,
};

export function post(title: string): Intent {
  return {
    ...intent,
    operation: 'blog.create',
    class: 'one-shot',
    body: JSON.stringify({ title }),
    idempotencyKey: null,
  };
}

export const response: RecordedResponse = {
  status: 201,
  body: '{"id":"made-1"}',
  problem: null,
  requestId: 'req-1',
  etag: null,
  receivedAt: '2026-11-23T12:00:01.000Z',
  replayed: false,
  retryAt: null,
  settledByReading: false,
};

export const applied = (id: string): RecordChange => ({ id, state: 'applied', response, failure: null });
export const unknown = (id: string): RecordChange => ({
  id,
  state: 'unknown',
  failure: { code: 'connection_lost', message: 'reset' },
});

export const noon = Date.parse('2026-11-23T12:00:00Z');
export const dayMs = 24 * 3_600_000;

export interface Scene {
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

export function makeScene(fileSystem?: FileSystem): Scene {
  const folder = path.join(mkdtempSync(path.join(tmpdir(), 'storectl-journal-')), 'store');
  onTestFinished(() => rmSync(path.dirname(folder), { recursive: true, force: true }));
  const open = (settings: Partial<JournalSettings> = {}) =>
    openJournal({ folder, store, profile: 'main', process, now: () => scene.time, ...settings });
  const files = () => readdirSync(folder).filter((name) => name.endsWith('.jsonl') && !name.startsWith('.'));
  const only = (name = files()[0] ?? '') => path.join(folder, name);
  const scene: Scene = {
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

/** All records, oldest first. */
export function allRecords(journal: Journal) {
  return journal.logs().flatMap((log) => journal.read(log));
}

export function beginOne(journal: Journal, one: Intent = intent) {
  return journal.begin({ operation: one.operation, intents: [one], isBatch: false, secrets: [] });
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
