import type { RecordOutline } from './records/outline.ts';

/** Kinds of things that the service does not list. */
export type KnownKind = 'backup' | 'dispute' | 'reclaim';

/** Something that this machine made or worked on. */
export interface KnownObject {
  readonly id: string;
  /** When its newest record was begun, ISO 8601. */
  readonly createdAt: string;
  /** What the service answered last about it; empty without a readable answer. */
  readonly fields: Readonly<Record<string, unknown>>;
}

const operationsOf: Readonly<Record<KnownKind, readonly string[]>> = {
  backup: ['backup.create'],
  dispute: ['disputes.open', 'disputes.decide'],
  reclaim: ['reclaim.appeal'],
};

/**
 * What the records, newest first, tell about objects of a kind: each object once, as its newest record shows it. An object
 * that the service refused is left out, because it may not exist.
 */
export function knownObjects(kind: KnownKind, records: readonly RecordOutline[]): KnownObject[] {
  const known = new Map<string, KnownObject>();
  for (const record of records) {
    if (!operationsOf[kind].includes(record.operation) || record.state === 'rejected') continue;
    const fields = parseObject(record.answer?.body);
    const id = idInPath(record.path) ?? fields.id;
    if (typeof id !== 'string' || known.has(id)) continue;
    known.set(id, { id, createdAt: record.createdAt, fields });
  }
  return [...known.values()];
}

/** The id in `/disputes/{id}/decision`. */
function idInPath(path: string): string | null {
  const [, id] = /\/([^/]+)\/(?:decision|appeal)$/.exec(path) ?? [];
  return id === undefined ? null : decodeURIComponent(id);
}

function parseObject(text: string | null | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
