import { asObject, isObject, leafPaths } from '../base/json.ts';
import type { Operation } from '../contract/operation.ts';
import { createBackup } from '../contract/operations/backups.ts';
import { showDispute } from '../contract/operations/disputes.ts';
import type { OperationId } from '../contract/operations/operations.ts';
import { serverOwnedSettings, showSettings } from '../contract/operations/settings.ts';
import { showStore } from '../contract/operations/store.ts';
import { type HistoryRecord, objectIdOf, receivedBody, sentBody } from './record/history-record.ts';

/** The part of a request that the rules read. */
type Sent = Pick<HistoryRecord, 'parameters' | 'body'>;

/** How a read for proof settles a change in doubt. */
interface Proof {
  /** The read. Its path has the same parameters as that of the change. */
  readonly operation: Operation;
  /**
   * Compares the response with the change. `applied`: the response shows the change. `untouched`: the response shows the values from
   * before, so the request may still be on its way. `other`: the response proves nothing. Null: the response is about something else.
   */
  judge(
    record: Sent & Pick<HistoryRecord, 'replaced'>,
    response: unknown,
  ): 'applied' | 'untouched' | 'other' | null;
  /** The body that the response to the change would have had. */
  result(response: unknown): unknown;
}

/** The rules of one operation that changes something. Everything else is the same code for all operations. */
export interface OperationRules {
  /**
   * How `resume` treats a change in doubt if the service does not apply the key in the header once. `send`: the same bytes are sent
   * again. `read`: a read for proof may settle it. `read-then-send`: the same bytes are sent again if the read is `untouched`. `ask`:
   * the user has to look at the store. A service that applies the key once gets the same bytes with the same key, after the same read.
   */
  readonly resume: 'send' | 'read' | 'read-then-send' | 'ask';
  /** For an operation that replaces whole sections: the backup to take before it. `resume` sends such a change only after a yes. */
  readonly safetyBackupRule?: {
    readonly operation: Operation;
    body(record: Sent, label: string): Readonly<Record<string, unknown>>;
    /** The id of the backup that the service itself took before the change, by the response to the change. */
    takenByService(response: Readonly<Record<string, unknown>>): unknown;
  };
  /**
   * How the same command is treated while an earlier change of it is in doubt. `continue`: the earlier change is sent again. `read`: a
   * read for proof comes first. `refuse`: the command is refused, unless the service applies the key in the header once. `send`: a
   * new change is sent.
   */
  readonly onSameCommand: 'send' | 'refuse' | 'continue' | 'read';
  /** The values that a change sets, or the lists that it adds to, as dotted paths: `store.settings.cashbackBp`, `blog`. */
  writes(record: Sent): readonly string[];
  /** The paths below `written` that a change has changed, by its response. Without this function, all of them. */
  changed?(written: string, response: Readonly<Record<string, unknown>>): readonly string[];
  /** A change takes the order lock until its outcome, so that changes of the same values take effect in the order of their numbers. */
  readonly inOrder?: true;
  /** An applied change supersedes an earlier one of the same command that is in doubt. */
  readonly supersedesSame?: true;
  readonly proof?: Proof;
  /** The read of the document that a change sets parts of. */
  readonly shownBy?: Operation;
  /** `duplicate`: the same content is refused within 24 hours. `once`: a second change of the same path is refused. */
  readonly guard?: 'duplicate' | 'once';
  /** What undoes a change: the replaced values of its fields, the replaced document, or the safety backup. */
  readonly undo?: 'fields' | 'document' | 'backup';
  /** The fields of the document that only the service sets. */
  readonly serverOwned?: readonly string[];
  /** Whether `prune` removes old records. Without this rule it does. */
  readonly isPruned?: 'never' | 'if-asked';
  /** Another operation whose logs may have records of this one, or changes that replace its values. */
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
    // The replaced document has the time of its saving, so it matches only if nobody has saved the settings since.
    return record.replaced !== null && includes(response, record.replaced) ? 'untouched' : 'other';
  },
  result: (response) => response,
};

/** Whether `whole` has all fields of `part` with the same values. Null equals missing; arrays are compared as a whole. */
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

/** The rules of a request outside the contract: it is never sent again by itself. */
const unknownOperation: OperationRules = { resume: 'ask', onSameCommand: 'refuse', writes: none };

const rulesById = new Map<string, OperationRules>(Object.entries(rows));

export function rulesOf(operation: string): OperationRules {
  return rulesById.get(operation) ?? unknownOperation;
}

/** See {@link OperationRules.writes}. */
export function writtenPaths(record: Sent & Pick<HistoryRecord, 'operation'>): readonly string[] {
  return rulesOf(record.operation).writes(record);
}

/** The paths that a change has changed, or may have: all that it sets, unless the response names those that it changed. */
export function changedPaths(record: HistoryRecord): readonly string[] {
  const { changed } = rulesOf(record.operation);
  const written = writtenPaths(record);
  if (changed === undefined || record.state !== 'applied') return written;
  const response = asObject(receivedBody(record));
  return written.flatMap((path) => changed(path, response));
}

/** The operations whose logs may have something about this one. */
export function logsWith(operation: string): readonly string[] {
  const { alsoReads } = rulesOf(operation);
  return alsoReads === undefined ? [operation] : [operation, alsoReads];
}

/** Whether the two lists of paths have a value in common. */
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
