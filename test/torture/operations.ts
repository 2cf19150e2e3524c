import { createHash } from 'node:crypto';

/** How often a write may be sent, as in the contract. */
export type OperationClass = 'read' | 'repeatable' | 'keyed' | 'one-shot';

/**
 * What a client is asked to do. A *subject* names one thing that the user wants, such as the backup with the label
 * `s1-a`: the request carries it, so that the model server can count how often it was applied.
 */
export interface OperationModel {
  readonly id: string;
  readonly class: OperationClass;
  /** Whether the command reads before it writes. */
  readonly readsFirst: boolean;
  /** Flag that asks for the same thing once more, or null. */
  readonly freshFlag: string | null;
  /** Arguments for one subject, or for several in a batch. */
  command(subjects: readonly string[]): readonly string[];
  /** What the library and an assistant give for one subject. */
  input(subject: string): Json;
  /** Method of the library, or null. */
  readonly method: string | null;
  /** Of the same command again: each is asked for by itself, continues an open one, or is refused where one may be there. */
  readonly again: 'another' | 'continues' | 'refused';
  /** The command that lists what it makes; none if nothing does. */
  readonly list?: readonly string[];
  /** Subject of a request, or null where the request belongs to another operation. */
  subjectOf(request: SentRequest): string | null;
}

export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly body: Json;
  /** Those of the schedule: a path names a subject by its UUID. */
  readonly subjects: readonly string[];
}

export type Json = Readonly<Record<string, unknown>>;

export const storeId = '4be5c0aa-6a30-4c55-9a2c-7d3e0f6b7a10';
export const storePath = `/v1/stores/${storeId}`;

/** The same UUID for the same subject. */
export function uuidOf(subject: string): string {
  const hex = createHash('sha256').update(subject).digest('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`];
  return [...parts, hex.slice(20, 32)].join('-');
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const object = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});

/** What no subject stands for, such as a safety backup that is restored, stands for itself. */
function subjectInPath({ path, subjects }: SentRequest, pattern: RegExp): string | null {
  const id = pattern.exec(path)?.[1];
  return subjects.find((subject) => uuidOf(subject) === id) ?? id ?? null;
}

const first = (subjects: readonly string[]): string => subjects[0] ?? '';

const webhook = 'https://discord.com/api/webhooks/1/a-token';

/** A time of day for `settings save`: the other subject of a schedule has an odd minute, the others have even ones. */
function quietStartOf(subject: string): string {
  const half = Number.parseInt(uuidOf(subject).slice(0, 6), 16) % 719;
  const minute = 2 * half + (subject.endsWith('-other') ? 1 : 0);
  return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
}

export const operations = {
  'store.update': {
    id: 'store.update',
    again: 'another',
    method: 'updateStore',
    input: (subject) => ({ name: subject }),
    class: 'repeatable',
    readsFirst: true,
    freshFlag: null,
    command: (subjects) => ['store', 'update', '--name', first(subjects)],
    subjectOf: ({ method, path, body }) =>
      method === 'PATCH' && path === storePath ? text(body.name) : null,
  },
  'settings.save': {
    id: 'settings.save',
    again: 'another',
    method: null,
    input: (subject) => ({ quietHours: { start: quietStartOf(subject) } }),
    class: 'repeatable',
    readsFirst: true,
    freshFlag: null,
    command: (subjects) => ['settings', 'save', '--quiet-hours-start', quietStartOf(first(subjects))],
    subjectOf: ({ method, path, body, subjects }) =>
      method === 'PUT' && path === `${storePath}/operations/settings`
        ? (subjects.find((subject) => quietStartOf(subject) === object(body.quietHours).start) ?? 'before')
        : null,
  },
  'notify.mark-read': {
    id: 'notify.mark-read',
    again: 'another',
    method: 'markNotificationsRead',
    input: (subject) => ({ ids: [subject] }),
    class: 'repeatable',
    readsFirst: false,
    freshFlag: null,
    command: (subjects) => ['notify', 'mark-read', first(subjects)],
    subjectOf: ({ method, path, body }) =>
      method === 'POST' && path === `${storePath}/notifications/read`
        ? text(Array.isArray(body.ids) ? body.ids[0] : null)
        : null,
  },
  'disputes.open': {
    id: 'disputes.open',
    again: 'continues',
    method: 'openDispute',
    input: (subject) => ({ reason: subject, kind: 'payment' }),
    class: 'keyed',
    readsFirst: false,
    freshFlag: '--new',
    command: (subjects) => ['disputes', 'open', '--reason', first(subjects)],
    list: ['disputes', 'list'],
    subjectOf: ({ method, path, body }) =>
      method === 'POST' && path === `${storePath}/operations/disputes` ? text(body.reason) : null,
  },
  'backup.create': {
    id: 'backup.create',
    again: 'another',
    method: 'createBackup',
    input: (subject) => ({ label: subject, sections: ['store', 'blog'] }),
    class: 'keyed',
    readsFirst: false,
    freshFlag: null,
    command: (subjects) => ['backup', 'create', '--label', first(subjects), '--sections', 'store,blog'],
    list: ['backup', 'list'],
    subjectOf: ({ method, path, body }) =>
      method === 'POST' && path === `${storePath}/operations/backups` ? text(body.label) : null,
  },
  'backup.restore': {
    id: 'backup.restore',
    again: 'another',
    method: 'restoreBackup',
    input: (subject) => ({ backupId: uuidOf(subject), sections: ['store'] }),
    class: 'keyed',
    readsFirst: false,
    freshFlag: null,
    command(subjects) {
      const id = uuidOf(first(subjects));
      return ['backup', 'restore', id, '--sections', 'store', '--confirm', id];
    },
    subjectOf: (request) =>
      request.method === 'POST' ? subjectInPath(request, /\/operations\/backups\/([^/]+)\/restore$/) : null,
  },
  'blog.create': {
    id: 'blog.create',
    again: 'refused',
    method: 'createBlogPost',
    input: (subject) => ({ title: subject, contentMd: 'Text.' }),
    class: 'one-shot',
    readsFirst: false,
    freshFlag: '--allow-duplicate',
    command: (subjects) =>
      subjects.length === 1
        ? ['blog', 'create', '--title', first(subjects), '--content-md', 'Text.']
        : ['blog', 'create', ...subjects.map((subject) => `${subject}.md`)],
    list: ['blog', 'list'],
    subjectOf: ({ method, path, body }) =>
      method === 'POST' && path === `${storePath}/blog/posts` ? text(body.title) : null,
  },
  'disputes.decide': {
    id: 'disputes.decide',
    again: 'refused',
    method: 'decideDispute',
    input: (subject) => ({ disputeId: uuidOf(subject), status: 'won', resolution: 'Delivered.' }),
    class: 'one-shot',
    readsFirst: true,
    freshFlag: null,
    command(subjects) {
      const ids = subjects.map(uuidOf);
      const id = first(ids);
      return ids.length === 1
        ? ['disputes', 'decide', id, '--status', 'won', '--resolution', 'Delivered.', '--confirm', id]
        : ['disputes', 'decide', '--from', 'decisions.csv', '--confirm', String(ids.length)];
    },
    subjectOf: (request) =>
      request.method === 'POST' ? subjectInPath(request, /\/operations\/disputes\/([^/]+)\/decision$/) : null,
  },
  'reclaim.appeal': {
    id: 'reclaim.appeal',
    again: 'refused',
    method: 'appealReclaim',
    input: (subject) => ({ reclaimId: uuidOf(subject), text: 'The shop is open.' }),
    class: 'one-shot',
    readsFirst: false,
    freshFlag: '--resubmit',
    command(subjects) {
      const id = uuidOf(first(subjects));
      return ['reclaim', 'appeal', id, '--text', 'The shop is open.', '--confirm', id];
    },
    subjectOf: (request) =>
      request.method === 'POST' ? subjectInPath(request, /\/subdomain-reclaims\/([^/]+)\/appeal$/) : null,
  },
  'notify.add-endpoint': {
    id: 'notify.add-endpoint',
    again: 'refused',
    method: 'addEndpoint',
    input: (subject) => ({ name: subject, url: webhook, events: ['feedback_digest'], kind: 'discord' }),
    class: 'one-shot',
    readsFirst: false,
    freshFlag: '--allow-duplicate',
    command: (subjects) => [
      ...['notify', 'add-endpoint', '--name', first(subjects), '--events', 'feedback_digest'],
      ...['--url', webhook],
    ],
    list: ['notify', 'list'],
    subjectOf: ({ method, path, body }) =>
      method === 'POST' && path === `${storePath}/notifications/endpoints` ? text(body.name) : null,
  },
  'settings.show': {
    id: 'settings.show',
    again: 'another',
    method: null,
    input: () => ({}),
    class: 'read',
    readsFirst: true,
    freshFlag: null,
    command: () => ['settings', 'show'],
    subjectOf: () => null,
  },
  'disputes.show': {
    id: 'disputes.show',
    again: 'another',
    method: null,
    input: (subject) => ({ disputeId: uuidOf(subject) }),
    class: 'read',
    readsFirst: true,
    freshFlag: null,
    command: (subjects) => ['disputes', 'show', uuidOf(first(subjects))],
    subjectOf: () => null,
  },
} as const satisfies Record<string, OperationModel>;

export type OperationId = keyof typeof operations;
export const operationIds = Object.keys(operations) as OperationId[];

/** Operation and subject of a write, or null for anything else. */
export function identifyWrite(request: SentRequest): { operation: OperationId; subject: string } | null {
  for (const operation of operationIds) {
    const subject = operations[operation].subjectOf(request);
    if (subject !== null) return { operation, subject };
  }
  return null;
}

/** The dispute in a path, or null. */
export function disputeInPath(path: string): string | null {
  return /\/operations\/disputes\/([^/]+)$/.exec(path)?.[1] ?? null;
}
