import { appendFileSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ensureFolder } from '../../base/files/files.ts';
import { asObject, parseJson } from '../../base/json.ts';
import { lastSeen } from '../changes/replaced-values.ts';
import type { StoreHistory } from '../history.ts';
import { changedPaths, overlap } from '../operation-rules.ts';
import { historyFiles } from '../record/errors.ts';
import type { HistoryRecord } from '../record/history-record.ts';
import type { SeenObject } from './known-objects.ts';

/** Bytes after which the file is rewritten with each object once. */
const maxBytes = 512 * 1024;

/** How many objects a rewritten file has: those that were seen last. */
const maxObjects = 1000;

/** The file with the seen objects. The history skips names that begin with a dot. */
function fileIn(folder: string): string {
  return path.join(folder, '.seen.jsonl');
}

/**
 * Appends objects that a read has shown to the file of seen objects. Only lists and suggestions use this file, so it is not synced, and a
 * write that fails is not an error.
 */
export function rememberSeen(folder: string, objects: readonly SeenObject[]): void {
  const file = fileIn(folder);
  try {
    ensureFolder(historyFiles(process.platform), folder);
    appendFileSync(file, objects.map((object) => `${JSON.stringify(object)}\n`).join(''), { mode: 0o600 });
    if (statSync(file).size > maxBytes) rewrite(folder);
  } catch {
    // The command itself must not fail because of this file.
  }
}

/**
 * Keeps the store's name from the response to a change of the store. The response to a restore has no name: then the name is the one in
 * the last response before it, or unknown if the restore may have changed it.
 */
export function rememberStoreName(history: StoreHistory, record: HistoryRecord, response: unknown): void {
  const shown = asObject(response).name;
  if (!overlap(changedPaths(record), [shown === undefined ? 'store.name' : 'store'])) return;
  const name =
    shown ??
    lastSeen('store.update', history.snapshot().usable({ concerning: ['store.update'] }))?.document.name;
  const { storeId: id, updatedAt: seenAt } = record;
  rememberSeen(history.journal.folder, [{ kind: 'store', id, seenAt, fields: { name } }]);
}

/** The name of the store whose history is in this folder, or null if this machine has not seen it. */
export function readStoreName(folder: string): string | null {
  const name = readSeen(folder).findLast(({ kind }) => kind === 'store')?.fields.name;
  return typeof name === 'string' ? name : null;
}

/** The objects that reads have shown, the last one last. Broken lines are skipped. */
export function readSeen(folder: string): SeenObject[] {
  let text: string;
  try {
    text = readFileSync(fileIn(folder), 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => {
    const object = parseJson(line) as SeenObject | undefined;
    return typeof object?.id === 'string' && typeof object.fields === 'object' ? [object] : [];
  });
}

function rewrite(folder: string): void {
  const newest = new Map<string, SeenObject>();
  for (const object of readSeen(folder)) {
    newest.delete(object.id);
    newest.set(object.id, object);
  }
  const lines = [...newest.values()].slice(-maxObjects).map((object) => `${JSON.stringify(object)}\n`);
  const draft = `${fileIn(folder)}.tmp`;
  writeFileSync(draft, lines.join(''), { mode: 0o600 });
  renameSync(draft, fileIn(folder));
}
