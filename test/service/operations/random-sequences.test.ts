import fc from 'fast-check';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { canonicalJson } from '../../../src/base/json.ts';
import type { OperationId } from '../../../src/contract/operations.ts';
import { openStorage, type Storage } from '../../../src/service/index.ts';
import { createId } from '../../../src/service/model/ids.ts';
import { insert } from '../../../src/service/storage/core/statement.ts';
import { startPostgres } from '../../helpers/postgres.ts';
import { openService, openTestStorage, type Service } from '../helpers/service.ts';

/** More by STORECTL_MODEL_RUNS=1000. */
const numRuns = Number(process.env.STORECTL_MODEL_RUNS ?? 12);

/** One request. Objects that earlier requests have made are named by their place among those of their kind. */
interface Step {
  readonly operation: OperationId;
  readonly body?: object;
  /** Which dispute, backup or reclaim; 0 for an id that nobody has. */
  readonly target?: number;
  /** Whose version If-Match names. */
  readonly ifMatch?: 'last' | 'wrong' | null;
  /** Passed since the step before. */
  readonly seconds: number;
}

const some = <Value>(...values: Value[]) => fc.constantFrom(...values);
const key = some('k1', 'k2', 'k3', 'k4', 'k5', 'with space');
const target = fc.nat(4);
const ifMatch = some(null, null, 'last' as const, 'wrong' as const);
const optional = { requiredKeys: [] };

const sections = fc.uniqueArray(some('store', 'store', 'blog', 'blog', 'settings', 'endpoints', 'disputes'), {
  minLength: 1,
  maxLength: 3,
});
const often = <Value>(arbitrary: fc.Arbitrary<Value>) => ({ arbitrary, weight: 3 });
const request = fc.oneof(
  fc.record({
    operation: some<OperationId>('store.update'),
    ifMatch,
    body: fc.record(
      {
        name: some('Alpha', 'Beta', ''),
        slug: some('alpha', 'beta', 'Not a slug'),
        defaultCurrency: some('EUR', 'XXQ'),
        settings: fc.record(
          {
            cashbackBp: some(0, 250, 10_001),
            brandColor: some('#0a7cff', null),
            socials: fc.dictionary(some('x', 'y'), some('https://x.example', null)),
            checkout: fc.record({ couponField: fc.boolean() }, optional),
          },
          optional,
        ),
      },
      optional,
    ),
  }),
  fc.record({
    operation: some<OperationId>('blog.create'),
    body: fc.record(
      {
        title: some('One', 'Two', 'Ünï – 😀', ''),
        contentMd: some('x', '# Größe\r\n😀'),
        slug: some('one', 'three'),
        tags: fc.array(some('a', 'b'), { maxLength: 2 }),
        status: some('draft', 'published', 'scheduled'),
        scheduledAt: some('2030-03-01T12:00:30Z', '2030-03-02T00:00:00+02:00'),
      },
      { requiredKeys: ['title', 'contentMd'] },
    ),
  }),
  fc.record({
    operation: some<OperationId>('disputes.decide'),
    target,
    body: fc.record({ status: some('won', 'lost', 'open'), resolution: some('fine', 'other') }),
  }),
  fc.record({ operation: some<OperationId>('settings.show') }),
  fc.record({
    operation: some<OperationId>('settings.save'),
    ifMatch,
    body: fc.record(
      {
        quietHours: fc.record({ enabled: fc.boolean(), start: some('22:00', '25:00') }, optional),
        templates: fc.dictionary(
          some('post_created', 'dispute_opened'),
          fc.record({ title: some('', '{{title}} {{kind}}'), private: fc.boolean() }, optional),
        ),
        discovery: fc.record({ summary: some('', 'B', 'a') }, optional),
      },
      optional,
    ),
  }),
  often(
    fc.record({
      operation: some<OperationId>('disputes.open'),
      body: fc.record(
        {
          kind: some('payment', 'Payment'),
          reason: some('late', '😀 broken'),
          idempotencyKey: key,
          riskSignals: fc.dictionary(some('a', 'b'), some<unknown>(1, 'x', null, { deep: [1.5] })),
          buyerEmail: some('a@b.example'),
        },
        { requiredKeys: ['kind', 'reason', 'idempotencyKey'] },
      ),
    }),
  ),
  fc.record({ operation: some<OperationId>('disputes.show'), target }),
  often(
    fc.record({
      operation: some<OperationId>('backup.create'),
      body: fc.record({ label: some('nightly', 'Größe'), sections, idempotencyKey: key }),
    }),
  ),
  often(
    fc.record({
      operation: some<OperationId>('backup.restore'),
      target,
      body: fc.record({ sections, idempotencyKey: key }),
    }),
  ),
  fc.record({
    operation: some<OperationId>('reclaim.appeal'),
    target,
    body: fc.record({ text: some('mine', 'still mine', '') }),
  }),
  fc.record({
    operation: some<OperationId>('notify.add-endpoint'),
    body: fc.record(
      {
        kind: some('discord'),
        name: some('Team'),
        url: some(1, 2, 3).map((id) => `https://discord.com/api/webhooks/${id}/token`),
        events: fc.array(some('post_created', 'backup_restored', 'post_craeted'), { maxLength: 2 }),
        enabled: fc.boolean(),
        discordTemplate: fc.record({ title: some('T', null), color: some('#000000', 'red') }, optional),
      },
      { requiredKeys: ['kind', 'name', 'url', 'events'] },
    ),
  }),
  fc.record({
    operation: some<OperationId>('notify.mark-read'),
    body: fc.record(
      {
        before: some('2030-03-01T12:00:20Z'),
        ids: some([], ['nobody']),
      },
      optional,
    ),
  }),
);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.tuple(request, fc.nat(60)).map(([step, seconds]) => ({ ...step, seconds })),
  { minLength: 20, maxLength: 60 },
);

const kindOf: Partial<Record<OperationId, 'disputes' | 'backups' | 'reclaims'>> = {
  'disputes.open': 'disputes',
  'disputes.decide': 'disputes',
  'disputes.show': 'disputes',
  'backup.create': 'backups',
  'backup.restore': 'backups',
  'reclaim.appeal': 'reclaims',
};

/** Runs the steps in a new store. Answers what a client sees and what the database then holds. */
async function play(storage: Storage, sequence: readonly Step[]): Promise<unknown[]> {
  const service = await openService({ storage });
  const reclaims = [createId(), createId()];
  await service.inStore(async (work) => {
    for (const id of reclaims) {
      const times = { createdAt: '2030-01-01T00:00:00.000Z', appealText: null, appealedAt: null };
      await insert(work, 'subdomainReclaims', {
        id,
        subdomain: 'x',
        reason: 'y',
        status: 'noticed',
        ...times,
      });
    }
  });
  const made: Record<'disputes' | 'backups' | 'reclaims', string[]> = { disputes: [], backups: [], reclaims };
  let etag = 'none';
  const seen: unknown[] = [];
  for (const { operation, body, target, ifMatch: condition, seconds } of sequence) {
    service.clock.now += seconds * 1000;
    const kind = kindOf[operation];
    const targetId = target === undefined || kind === undefined ? '' : pick(made[kind], target);
    const headers = condition ? { 'if-match': condition === 'last' ? etag : '"wrong"' } : {};
    const answer = await service.call(operation, targetId, body, { headers });
    etag = answer.headers.get('etag') ?? etag;
    if (answer.status === 201 && kind && target === undefined) made[kind].push(answer.body.id);
    const { 'x-request-id': _, ...answered } = Object.fromEntries(answer.headers);
    seen.push([operation, answer.status, answered, { ...answer.body, requestId: undefined }]);
  }
  return normalize([...seen, await dump(service)], service);
}

function pick(ids: readonly string[], target: number): string {
  return (target > 0 && ids[target % ids.length]) || createId();
}

/** The tables that requests change, with the columns to sort by. Ids sort in the order of their making. */
const tables = {
  posts: ['id'],
  operationsSettings: ['storeId'],
  disputes: ['id'],
  disputeDecisions: ['disputeId'],
  backups: ['id'],
  subdomainReclaims: ['id'],
  endpoints: ['id'],
  events: ['id'],
  deliveries: ['id'],
  idempotencyKeys: ['operation', 'targetId', 'key'],
} as const;

/** Every row of the store that requests change. */
async function dump({ storage, storeId }: Service): Promise<unknown[]> {
  return storage.forStore(storeId).read(async (db) => {
    const rows: unknown[] = [await db.selectFrom('stores').selectAll().where('id', '=', storeId).execute()];
    for (const [table, columns] of Object.entries(tables)) {
      const found: Record<string, unknown>[] = await db
        .selectFrom(table as keyof typeof tables)
        .selectAll()
        .where('storeId', '=', storeId)
        .execute();
      const orderOf = (row: Record<string, unknown>) => columns.map((column) => row[column]).join(' ');
      found.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
      rows.push(...found.map((row) => [table, { ...row, sequence: undefined, decidedBy: undefined }]));
    }
    return rows;
  });
}

/** Puts what is different each time (ids, hashes over them, when the store was made) as the place of its first mention. */
function normalize(values: readonly unknown[], { store }: Service): unknown[] {
  const places = new Map<string, string>();
  const place = (found: string) => {
    const known = places.get(found) ?? `<${places.size}>`;
    places.set(found, known);
    return known;
  };
  return values.map((value) =>
    canonicalJson(value)
      .replaceAll(store.createdAt, '<made>')
      .replace(
        /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b(?:[0-9a-f]{64}|[0-9a-f]{32}|[0-9a-f]{12})\b/g,
        place,
      ),
  );
}

const cluster = await startPostgres();
afterAll(() => cluster.stop());

/** A random sequence rarely restores or decides something, so these do. */
const deepSequence: Step[] = [
  { operation: 'disputes.open', body: { kind: 'payment', reason: 'late', idempotencyKey: 'k1' }, seconds: 0 },
  {
    operation: 'backup.create',
    body: { label: 'nightly', sections: ['store'], idempotencyKey: 'k2' },
    seconds: 1,
  },
  { operation: 'disputes.decide', target: 1, body: { status: 'won', resolution: 'fine' }, seconds: 1 },
  { operation: 'backup.restore', target: 1, body: { sections: ['store'], idempotencyKey: 'k3' }, seconds: 1 },
];

test('both engines give the same answers to random sequences of requests and store the same', async () => {
  const embedded = await openTestStorage();
  const postgres = await openStorage((await cluster.createDatabase()).url);
  onTestFinished(() => postgres.close());
  const statuses = new Set<string>();

  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const expected = await play(embedded, sequence);
      expect(await play(postgres, sequence)).toEqual(expected);
      for (const answer of expected) statuses.add(/^\["[\w.-]+",\d+/.exec(String(answer))?.[0] ?? '');
    }),
    { numRuns, examples: [[deepSequence]] },
  );

  // The sequences go deep enough to find something to restore and to decide.
  for (const status of ['["backup.restore",200', '["disputes.decide",200']) {
    expect([...statuses]).toContain(status);
  }
});
