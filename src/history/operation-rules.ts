import { asObject, isObject, leafPaths } from '../base/json.ts';
import type { Operation } from '../contract/operation.ts';
import { createBackup } from '../contract/operations/backups.ts';
import { showDispute } from '../contract/operations/disputes.ts';
import type { OperationId } from '../contract/operations/operations.ts';
import { serverOwnedSettings, showSettings } from '../contract/operations/settings.ts';
import { showStore } from '../contract/operations/store.ts';
import { type HistoryRecord, objectIdOf, receivedBody, sentBody } from './record/history-record.ts';

/** A request as far as the rules look at it. */
type Sent = Pick<HistoryRecord, 'parameters' | 'body'>;

/** How a read settles a change in doubt. */
interface Proof {
  /** Its path has the same parameters as the change. */
  readonly operation: Operation;
  /**
   * `applied` proves the change. `untouched` is what it was before, which may still change while a request is on its way.
   * `other` proves nothing. Null: the response cannot be read.
   */
  judge(
    record: Sent & Pick<HistoryRecord, 'replaced'>,
    response: unknown,
  ): 'applied' | 'untouched' | 'other' | null;
  /** What the change itself would have answered. */
  result(response: unknown): unknown;
}

/** What is particular to an operation that changes something. Everything else is the same code for all of them. */
export interface OperationRules {
  /**
   * What `resume` does with a change in doubt where the service does not apply the key in its header once: `send` the same bytes,
   * `read` only, `read-then-send` if nothing was touched, or `ask` the user. Where it does, the same bytes are sent with the same
   * key, after the same read; over later changes only with `If-Match`.
   */
  readonly resume: 'send' | 'read' | 'read-then-send' | 'ask';
  /** It destroys what it cannot bring back: a backup may be made first. Resumed after a yes only, never as one of all. */
  readonly safetyBackupRule?: {
    readonly operation: Operation;
    body(record: Sent, label: string): Readonly<Record<string, unknown>>;
    /** The backup that the service itself took before the change, by its response. */
    takenByService(response: Readonly<Record<string, unknown>>): unknown;
  };
  /**
   * The same command again while one is in doubt: `continue` it, `read` first, `refuse` unless the service applies the key in its
   * header once, or `send` another.
   */
  readonly onSameCommand: 'send' | 'refuse' | 'continue' | 'read';
  /** What it sets, or adds to if it is not in order, as dotted paths: `store.settings.cashbackBp`, `blog`. */
  writes(record: Sent): readonly string[];
  /** What it has changed of a path that it writes, by its response to one that was applied; all of it unless given. */
  changed?(written: string, response: Readonly<Record<string, unknown>>): readonly string[];
  /** Changes of the same values take effect in the order of their numbers: they share the lock `order` until their outcome. */
  readonly inOrder?: true;
  /** An earlier one of the same command that is in doubt no longer matters once a later one was applied. */
  readonly supersedesSame?: true;
  readonly proof?: Proof;
  /** The read of the document that it sets parts of. */
  readonly shownBy?: Operation;
  /** `duplicate`: not the same content within 24 hours; `once`: one for each path, ever. */
  readonly guard?: 'duplicate' | 'once';
  /** How it is taken back: by the replaced values of its fields, by those in the document that it replaced, or by a backup. */
  readonly undo?: 'fields' | 'document' | 'backup';
  /** Fields of the document that only the service sets. */
  readonly serverOwned?: readonly string[];
  /** Whether old records of it are removed by `prune`: always unless given. */
  readonly isPruned?: 'never' | 'if-asked';
  /** Another operation in whose logs there may be records of this one, or changes that replace what it sets. */
  readonly alsoReads?: OperationId;
}

const requestBody = (record: Sent) => asObject(sentBody(record));

const dispute: Proof = {
  operation: showDispute,
  judge(record, response) {
    const found = asObject(asObject(response).record);
    const { status, resolution } = requestBody(record);
    if (typeof found.status !== 'string' || typeof found.id !== 'string') return null;
    if (found.status === 'open') return 'untouched';
    const isSameText =
      typeof found.resolution !== 'string' ||
      typeof resolution !== 'string' ||
      found.resolution.trim() === resolution.trim();
    const isSentDispute =
      found.id.toLowerCase() === objectIdOf(record)?.toLowerCase() && found.status === status && isSameText;
    return isSentDispute ? 'applied' : 'other';
  },
  result: (response) => asObject(response).record,
};

const settings: Proof = {
  operation: showSettings,
  judge(record, response) {
    if (includes(response, sentBody(record))) return 'applied';
    // The replaced document has the time of its saving, so it matches only if it was not saved since.
    return record.replaced !== null && includes(response, record.replaced) ? 'untouched' : 'other';
  },
  result: (response) => response,
};

/** Whether everything in `part` is in `whole`; null and missing are the same, arrays are compared as a whole. */
function includes(whole: unknown, part: unknown): boolean {
  if (part === null || part === undefined) return whole === null || whole === undefined;
  if (Array.isArray(part)) {
    if (!Array.isArray(whole) || whole.length !== part.length) return false;
    return part.every((value, index) => includes(whole[index], value));
  }
  if (!isObject(part)) return whole === part;
  return isObject(whole) && Object.entries(part).every(([name, value]) => includes(whole[name], value));
}

const none = () => [];

/** The rows of operations that change something. */
const rows: Readonly<Partial<Record<OperationId, OperationRules>>> = {
  'store.update': {
    resume: 'send',
    onSameCommand: 'send',
    writes: (record) => leafPaths(requestBody(record)).map((path) => ['store', ...path].join('.')),
    inOrder: true,
    shownBy: showStore,
    alsoReads: 'backup.restore',
    undo: 'fields',
  },
  'blog.create': {
    resume: 'ask',
    onSameCommand: 'refuse',
    writes: () => ['blog'],
    guard: 'duplicate',
  },
  'disputes.decide': { resume: 'read', onSameCommand: 'read', writes: none, proof: dispute },
  'settings.save': {
    resume: 'read-then-send',
    onSameCommand: 'send',
    writes: () => ['settings'],
    inOrder: true,
    shownBy: showSettings,
    proof: settings,
    undo: 'document',
    serverOwned: serverOwnedSettings,
  },
  'disputes.open': { resume: 'send', onSameCommand: 'continue', writes: none },
  'backup.create': {
    resume: 'send',
    onSameCommand: 'send',
    writes: none,
    supersedesSame: true,
    isPruned: 'if-asked',
    alsoReads: 'backup.restore',
  },
  'backup.restore': {
    resume: 'send',
    safetyBackupRule: {
      operation: createBackup,
      body: (record, label) => ({ label, sections: requestBody(record).sections }),
      takenByService: ({ preRestoreBackupId }) => preRestoreBackupId,
    },
    onSameCommand: 'send',
    writes: (record) => {
      const { sections } = requestBody(record);
      return Array.isArray(sections) ? sections.map(String) : [];
    },
    changed: (section, response) => {
      const { changed, removed, returned } = asObject(asObject(response.sections)[section]);
      if (Array.isArray(changed)) return changed.map((field) => `${section}.${field}`);
      return removed === 0 && returned === 0 ? [] : [section];
    },
    inOrder: true,
    supersedesSame: true,
    undo: 'backup',
  },
  'reclaim.appeal': {
    resume: 'ask',
    onSameCommand: 'refuse',
    writes: none,
    guard: 'once',
    isPruned: 'never',
  },
  'notify.add-endpoint': {
    resume: 'ask',
    onSameCommand: 'refuse',
    writes: () => ['endpoints'],
    guard: 'duplicate',
  },
  'notify.mark-read': { resume: 'send', onSameCommand: 'send', writes: none },
};

/** Nothing is known about a request outside the contract, so it is sent once. */
const unknownOperation: OperationRules = { resume: 'ask', onSameCommand: 'refuse', writes: none };

const rulesById = new Map<string, OperationRules>(Object.entries(rows));

export function rulesOf(operation: string): OperationRules {
  return rulesById.get(operation) ?? unknownOperation;
}

/** See {@link OperationRules.writes}. */
export function writtenPaths(record: Sent & Pick<HistoryRecord, 'operation'>): readonly string[] {
  return rulesOf(record.operation).writes(record);
}

/** What it has changed, or may have: everything that it sets, unless its response says what was there already. */
export function changedPaths(record: HistoryRecord): readonly string[] {
  const { changed } = rulesOf(record.operation);
  const written = writtenPaths(record);
  if (changed === undefined || record.state !== 'applied') return written;
  const response = asObject(receivedBody(record));
  return written.flatMap((path) => changed(path, response));
}

/** The operations whose logs have to be read for what concerns this one. */
export function logsWith(operation: string): readonly string[] {
  const { alsoReads } = rulesOf(operation);
  return alsoReads === undefined ? [operation] : [operation, alsoReads];
}

/** Whether one of the two sets something that the other sets, too. */
export function overlap(one: readonly string[], other: readonly string[]): boolean {
  return one.some((path) => other.some((second) => isWithin(path, second) || isWithin(second, path)));
}

/** Whether `later` sets everything that `earlier` sets. */
export function includesPaths(later: readonly string[], earlier: readonly string[]): boolean {
  return earlier.length > 0 && earlier.every((path) => later.some((wider) => isWithin(path, wider)));
}

function isWithin(path: string, wider: string): boolean {
  return path === wider || path.startsWith(`${wider}.`);
}
