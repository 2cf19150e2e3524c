import fc from 'fast-check';
import type { OperationId } from '../../../src/contract/operations/operations.ts';

/** One request. Objects that earlier requests have made are named by their place among those of their kind. */
export interface Step {
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
/** Sequences of requests, each after some seconds. */
export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.tuple(request, fc.nat(60)).map(([step, seconds]) => ({ ...step, seconds })),
  { minLength: 20, maxLength: 60 },
);

/** A random sequence rarely restores or decides something, so these do. */
export const deepSequence: Step[] = [
  { operation: 'disputes.open', body: { kind: 'payment', reason: 'late', idempotencyKey: 'k1' }, seconds: 0 },
  {
    operation: 'backup.create',
    body: { label: 'nightly', sections: ['store'], idempotencyKey: 'k2' },
    seconds: 1,
  },
  { operation: 'disputes.decide', target: 1, body: { status: 'won', resolution: 'fine' }, seconds: 1 },
  { operation: 'backup.restore', target: 1, body: { sections: ['store'], idempotencyKey: 'k3' }, seconds: 1 },
];
