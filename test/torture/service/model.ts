import {
  disputeInPath,
  identifyWrite,
  type Json,
  type OperationId,
  operations,
  storeId,
  storePath,
  uuidOf,
} from '../operations.ts';
import type { Contradiction } from './faults.ts';
import type { RawAnswer, RawRequest } from './http-socket.ts';

/** One thing that a request has changed in the store. */
export interface Effect {
  readonly operation: OperationId;
  readonly subject: string;
  /** Id that the answer has, or null. */
  readonly id: string | null;
  readonly idempotencyKey: string | null;
  /** Number of the request, from 1. */
  readonly request: number;
  /** How often the store's own fields had been changed before. */
  readonly storeVersion: number;
}

export interface ModelOptions {
  /** It has reads, applies each key of a header once, and has ETags. */
  readonly hasFeatures: boolean;
  /** A mistake of the service: a refusal does not stay the answer to its key. */
  readonly forgetsRefusals?: boolean;
}

/**
 * What another user does: `changes` something, or puts back what it was before that; takes a `backup`; or `restores` one of the
 * first day, so that later posts and endpoints are gone. Each is a change, whatever values come of it.
 */
export type OtherUser = 'changes' | 'backup' | 'restores';

export interface OtherChange {
  readonly summary: string;
  /** Monotonic milliseconds. */
  readonly at: number;
  /** How many writes were applied before. */
  readonly applied: number;
}

/** The store as it really is: what the service applied, in order. It has no guards against a second request. */
export interface Model {
  readonly effects: readonly Effect[];
  /** Applies a write (once for each idempotency key) and returns the service's own answer. */
  apply(request: RawRequest, number: number, refuses?: boolean): RawAnswer;
  /** The answer to a read, or null where the request is none. */
  read(request: RawRequest): RawAnswer | null;
  identify(request: RawRequest): { operation: OperationId; subject: string } | null;
  /** Another user changes what the request is about, at a monotonic time in milliseconds. */
  changeByOtherUser(request: RawRequest, how: OtherUser, at: number): void;
  /** Another user does something to the whole store, at a monotonic time in milliseconds. */
  changeStore(how: OtherUser, at: number): void;
  /** What another user wrote into the settings last, or null. */
  otherChange(): OtherChange | null;
  /** Numbers of requests whose changes replaced what another user had set since the client read it, though it could have known. */
  overwritten(): readonly number[];
  /** As the settings are now. */
  summary(): unknown;
  /** An answer such as the service would give, for a request that it does not apply. */
  pretend(request: RawRequest): RawAnswer;
}

const json = (status: number, body: unknown, headers: Record<string, string> = {}): RawAnswer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

export function problem(status: number, code: string): RawAnswer {
  return {
    status,
    headers: { 'content-type': 'application/problem+json' },
    body: JSON.stringify({ type: 'about:blank', title: code, status, code }),
  };
}

const since = '2026-01-05T08:00:00.000Z';

export function createModel(subjects: readonly string[], options: ModelOptions): Model {
  const { hasFeatures, forgetsRefusals = false } = options;
  const effects: Effect[] = [];
  const answers = new Map<string, { body: string; answer: RawAnswer }>();
  /** By `store` and `settings`: changes so far, by anybody. */
  const versions = { store: 1, settings: 1 };
  /** By the key of a read: the version that it showed. */
  const shown = new Map<string, number>();
  const overwritten: number[] = [];
  const decided = new Map<string, Json>();
  const disputes = new Map(subjects.map((subject) => [uuidOf(subject), subject]));
  const firstSettings: Json = {
    quietHours: { enabled: false, start: '23:59', end: '07:00', timezone: 'Europe/Berlin' },
    templates: {},
    discovery: { enabled: false, summary: '', categories: [] },
    showcase: { enabled: false, allowCritique: false, summary: '' },
    mobilePrivacy: { hideRevenue: false, hideOrderValues: false, requireUnlock: false },
    storeId,
    env: 'live',
    updatedAt: since,
  };
  const firstStore: Json = { id: storeId, name: 'Before', slug: 'before', status: 'setup', createdAt: since };
  let settings = firstSettings;
  let store = firstStore;
  /** By the path of a list: what is in it, oldest first. */
  const lists: Readonly<Record<string, Json[]>> = {
    [`${storePath}/operations/backups`]: [],
    [`${storePath}/blog/posts`]: [],
    [`${storePath}/operations/disputes`]: [],
    [`${storePath}/notifications/endpoints`]: [],
  };

  const disputeOf = (id: string): Json => ({
    id,
    storeId,
    kind: 'payment',
    status: 'open',
    reason: disputes.get(id),
    createdAt: since,
    updatedAt: since,
    ...decided.get(id),
  });

  let storeVersion = 0;

  /** What the write makes of the store, as its answer shows it. */
  function change(operation: OperationId, body: Json, id: string, path: string): Json {
    switch (operation) {
      case 'store.update':
        storeVersion += 1;
        store = { ...store, ...body };
        return store;
      case 'settings.save':
        saveSettings(body);
        return settings;
      case 'notify.mark-read':
        return { ok: true };
      case 'disputes.decide': {
        const dispute = /\/disputes\/([^/]+)\//.exec(path)?.[1] ?? '';
        decided.set(dispute, { status: body.status, resolution: body.resolution });
        return disputeOf(dispute);
      }
      case 'backup.restore':
        storeVersion += 1;
        return { id, backupId: /\/backups\/([^/]+)\//.exec(path)?.[1], sections: body.sections };
      case 'reclaim.appeal':
        return { id, reclaimId: /\/subdomain-reclaims\/([^/]+)\//.exec(path)?.[1], status: 'appealed' };
      default: {
        const { idempotencyKey: _, ...fields } = body;
        const made = { id, version: 1, ...fields, createdAt: since };
        lists[path]?.push(made);
        return made;
      }
    }
  }

  function saveSettings(changed: Json): void {
    versions.settings += 1;
    const updatedAt = new Date(Date.parse(since) + versions.settings).toISOString();
    settings = { ...settings, ...changed, updatedAt };
  }

  function identify({ method, path, body }: RawRequest) {
    return identifyWrite({ method, path, body: parse(body), subjects });
  }

  const versionedBy = (path: string): keyof typeof versions | null =>
    path === storePath ? 'store' : path === `${storePath}/operations/settings` ? 'settings' : null;

  const etagOf = (path: string): Record<string, string> => {
    const name = versionedBy(path);
    return name === null || !hasFeatures ? {} : { etag: `"${versions[name]}"` };
  };

  function apply(request: RawRequest, number: number, refuses = false): RawAnswer {
    const key = hasFeatures && !parse(request.body).idempotencyKey ? request.key : null;
    const place = `header ${request.method} ${request.path} ${key}`;
    const earlier = key === null ? undefined : answers.get(place);
    if (earlier !== undefined) {
      if (earlier.body !== request.body) return problem(422, 'idempotency_key_reused');
      return { ...earlier.answer, headers: { ...earlier.answer.headers, 'idempotency-replayed': 'true' } };
    }
    const found = refuses ? problem(422, 'validation_failed') : applyNow(request, number);
    const isRefusal = found.status >= 400;
    const kept = isRefusal && key !== null ? { 'idempotency-kept': 'true' } : {};
    const answer = { ...found, headers: { ...found.headers, ...kept } };
    if (key !== null && !(isRefusal && forgetsRefusals)) answers.set(place, { body: request.body, answer });
    return answer;
  }

  function applyNow(request: RawRequest, number: number): RawAnswer {
    const write = identify(request);
    const versioned = hasFeatures ? versionedBy(request.path) : null;
    if (versioned !== null && request.ifMatch !== null && request.ifMatch !== `"${versions[versioned]}"`)
      return problem(412, 'etag_mismatch');
    const read = versioned === null ? undefined : shown.get(`${versioned} ${request.key}`);
    if (versioned !== null && read !== undefined && read !== versions[versioned]) overwritten.push(number);
    if (write === null) return problem(404, 'not_found');
    const { operation, subject } = write;
    const body = parse(request.body);
    const key = typeof body.idempotencyKey === 'string' ? body.idempotencyKey : null;
    const place = `${request.path} ${key}`;
    const earlier = key === null ? undefined : answers.get(place);
    if (earlier !== undefined) {
      if (earlier.body !== request.body) return problem(409, 'idempotency_key_reused');
      return { ...earlier.answer, headers: { ...earlier.answer.headers, 'idempotency-replayed': 'true' } };
    }
    const dispute = operation === 'disputes.decide' ? disputeOf(uuidOf(subject)) : null;
    if (dispute !== null && dispute.status !== 'open') return problem(409, 'already_decided');
    const id = uuidOf(`${subject} ${number}`);
    const before = storeVersion;
    const changed = change(operation, body, id, request.path);
    if (operation === 'store.update' || operation === 'backup.restore') versions.store += 1;
    if (operation === 'backup.restore') versions.settings += 1;
    const answer = json(operations[operation].class === 'repeatable' ? 200 : 201, changed);
    effects.push({
      operation,
      subject,
      id: typeof changed.id === 'string' ? changed.id : null,
      idempotencyKey: key,
      request: number,
      storeVersion: before,
    });
    if (key !== null) answers.set(place, { body: request.body, answer });
    return answer;
  }

  function read({ method, path, key }: RawRequest): RawAnswer | null {
    if (method !== 'GET') return null;
    const versioned = versionedBy(path);
    if (versioned !== null && key !== null) shown.set(`${versioned} ${key}`, versions[versioned]);
    if (path === `${storePath}/operations/settings`) return json(200, settings, etagOf(path));
    if (path === storePath && hasFeatures) return json(200, store, etagOf(path));
    const listed = hasFeatures ? lists[path] : undefined;
    if (listed !== undefined) return json(200, { items: listed.toReversed() });
    const [, backup] = /\/operations\/backups\/([^/]+)$/.exec(path) ?? [];
    if (backup !== undefined && hasFeatures)
      return json(200, { id: backup, label: 'A backup', sections: ['store', 'blog'], createdAt: since });
    const dispute = disputeInPath(path);
    if (dispute !== null && disputes.has(dispute)) {
      return json(200, { record: disputeOf(dispute), evidence: [] });
    }
    return problem(404, 'not_found');
  }

  function pretend(request: RawRequest): RawAnswer {
    const write = identify(request);
    const body = parse(request.body);
    const [backupId, reclaimId] = ['backups', 'subdomain-reclaims'].map(
      (noun) => new RegExp(`/${noun}/([^/]+)/`).exec(request.path)?.[1],
    );
    if (write?.operation !== 'disputes.decide')
      return json(201, { id: uuidOf(request.body), ...body, backupId, reclaimId });
    return json(201, { ...disputeOf(uuidOf(write.subject)), ...body });
  }

  let others = 0;
  let otherChange: OtherChange | null = null;
  const noteOther = (summary: unknown, at: number): void => {
    otherChange = { summary: String(summary), at, applied: effects.length };
  };

  function changeByOtherUser({ path }: RawRequest, how: OtherUser, at: number): void {
    const dispute = disputeInPath(path);
    const versioned = versionedBy(path);
    if (dispute !== null) {
      if (!decided.has(dispute)) decided.set(dispute, { status: 'lost', resolution: 'Refunded.' });
    } else if (how !== 'changes' && versioned !== null) changeStore(how, at);
    else if (versioned === 'store') changeName();
    else if (versioned === 'settings') changeSettings(at);
  }

  function changeStore(how: OtherUser, at: number): void {
    others += 1;
    if (how === 'changes') changeName();
    else if (how === 'backup')
      lists[`${storePath}/operations/backups`]?.push({
        ...{ id: uuidOf(`other ${others}`), label: 'By another user' },
        ...{ sections: ['store', 'blog'], createdAt: since },
      });
    else restoreFirst(at);
  }

  /** All that was there on the first day, and nothing that came later. Disputes and backups are in no backup. */
  function restoreFirst(at: number): void {
    storeVersion += 1;
    versions.store += 1;
    store = firstStore;
    saveSettings({ ...firstSettings });
    noteOther(summaryOf(settings), at);
    for (const section of ['blog/posts', 'notifications/endpoints'])
      lists[`${storePath}/${section}`]?.splice(0);
  }

  let settingsBefore: Json | null = null;
  function changeSettings(at: number): void {
    others += 1;
    const { discovery } = settings;
    saveSettings({
      discovery: settingsBefore ?? { enabled: true, summary: `other ${others}`, categories: [] },
    });
    settingsBefore = settingsBefore === null ? (discovery as Json) : null;
    noteOther(summaryOf(settings), at);
  }

  let nameBefore: unknown = null;
  function changeName(): void {
    storeVersion += 1;
    versions.store += 1;
    const { name } = store;
    store = { ...store, name: nameBefore ?? `By another user ${storeVersion}` };
    nameBefore = nameBefore === null ? name : null;
  }

  return {
    effects,
    overwritten: () => overwritten,
    apply,
    read,
    identify,
    pretend,
    changeByOtherUser,
    changeStore,
    otherChange: () => otherChange,
    summary: () => summaryOf(settings),
  };
}

const summaryOf = ({ discovery }: Json): unknown => (discovery as Json).summary;

function parse(body: string): Json {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Json) : {};
  } catch {
    return {};
  }
}

export const otherValue = 'made by the service';

/** Whichever of these the operation has: it was sent with another value, and does not name what was asked for. */
function withOtherValues(body: Json): Json {
  if (typeof body.name === 'string') return { ...body, name: otherValue };
  if (typeof body.quietHours !== 'object') return body;
  return { ...body, quietHours: { ...body.quietHours, start: otherValue } };
}

/** Whichever of these the response has: it is about something else than was asked for. */
function withOtherName(body: Json): Json {
  const named = ['label', 'title', 'name', 'reason', 'backupId', 'reclaimId'].filter((name) => name in body);
  const values = named.map((name) => [name, name.endsWith('Id') ? uuidOf('another') : 'Something else']);
  return { ...body, ...Object.fromEntries(values) };
}

/** The service's answer with something else in place of what was asked for. */
export function contradict(answer: RawAnswer, what: Contradiction): RawAnswer {
  const body = parse(answer.body);
  if (what === 'types')
    return { ...answer, body: JSON.stringify({ ...body, createdAt: 1, updatedAt: 1, ok: 1 }) };
  if (what === 'name') return { ...answer, body: JSON.stringify(withOtherName(body)) };
  if (what === 'values') return { ...answer, body: JSON.stringify(withOtherValues(body)) };
  const record = typeof body.record === 'object' && body.record !== null ? (body.record as Json) : body;
  const other =
    what === 'id'
      ? { ...record, id: uuidOf('another dispute'), status: 'won', resolution: 'Delivered.' }
      : { ...record, status: 'open' };
  return {
    ...answer,
    status: 200,
    body: JSON.stringify('record' in body ? { ...body, record: other } : other),
  };
}
