import { describe, expect, test } from 'vitest';
import { type Command, fingerprint, keyOf } from '../../src/history/records/fingerprint.ts';
import type { HistoryRecord } from '../../src/history/records/record.ts';
import { fingerprintIntent, newRecord } from '../../src/history/records/request-intent.ts';
import { recordOfKey, recordToContinue } from '../../src/history/sending/idempotency-key-reuse.ts';

const command: Command = {
  operation: 'backup.create',
  origin: 'https://api.example.com',
  storeId: 'store-1',
  path: '/v1/stores/store-1/operations/backups',
  body: '{"label":"nightly","sections":["store","blog"],"idempotencyKey":"K"}',
};

describe('fingerprint', () => {
  test.each([
    ['the order of fields', { body: '{"sections":["store","blog"],"label":"nightly"}' }],
    ['the idempotency key', { body: '{"label":"nightly","sections":["store","blog"],"idempotencyKey":"L"}' }],
    ['white space', { body: '{ "label": "nightly", "sections": ["store", "blog"] }' }],
  ])('is the same whatever %s', (_what, change) => {
    expect(fingerprint({ ...command, ...change })).toBe(fingerprint(command));
  });

  test.each([
    ['the operation', { operation: 'disputes.open' }],
    ['the origin', { origin: 'https://other.example.com' }],
    ['the store', { storeId: 'store-2' }],
    ['the path', { path: '/v1/stores/store-1/operations/backups/b/restore' }],
    ['a value', { body: '{"label":"weekly","sections":["store","blog"]}' }],
    ['the order of a list', { body: '{"label":"nightly","sections":["blog","store"]}' }],
    ['the type of a value', { body: '{"label":"nightly","sections":"store,blog"}' }],
    ['an idempotencyKey further in', { body: '{"label":"nightly","sections":[{"idempotencyKey":"K"}]}' }],
    ['the absence of a body', { body: null }],
  ])('differs by %s', (_what, change) => {
    expect(fingerprint({ ...command, ...change })).not.toBe(fingerprint(command));
  });

  test('a list cannot pass for an object', () => {
    const list = fingerprint({ ...command, body: '{"a":[["b",1]]}' });
    expect(fingerprint({ ...command, body: '{"a":{"b":1}}' })).not.toBe(list);
  });
});

test('the key of a body is its idempotencyKey, if that is a string', () => {
  expect(keyOf(command.body)).toBe('K');
  expect([null, '{}', '[]', '"K"', '{"idempotencyKey":5}', 'not JSON'].map(keyOf)).toEqual(
    Array.from({ length: 6 }, () => null),
  );
});

const NOW = Date.parse('2026-11-21T12:00:00Z');
const HOUR = 3_600_000;

function record(id: string, hoursOld: number, change: Partial<HistoryRecord>): HistoryRecord {
  const made = newRecord(
    fingerprintIntent({ ...command, profile: 'main', class: 'keyed', method: 'POST' }),
    id,
    NOW - hoursOld * HOUR,
  );
  return { ...made, ...change };
}

const refused = (status: number): Partial<HistoryRecord> => ({
  state: 'rejected',
  answer: {
    status,
    body: null,
    problem: null,
    requestId: null,
    etag: null,
    receivedAt: '2026-11-21T12:00:00Z',
    replayed: false,
    retryAt: null,
    settledByReading: false,
  },
});

describe('a key of the user’s own', () => {
  const own = fingerprint(command);
  const other = fingerprint({ ...command, body: '{"label":"other"}' });

  test('is fresh when nothing bears it', () => {
    expect(recordOfKey([], own)).toBeNull();
  });

  test.each(['prepared', 'sent', 'unknown', 'applied'] as const)(
    'belongs to its %s record, for the same command only',
    (state) => {
      const earlier = record('first', 100, { state });
      expect(recordOfKey([earlier], own)).toBe(earlier);
      expect(() => recordOfKey([earlier], other)).toThrow(
        expect.objectContaining({ code: 'idempotency_key_reused', earlier }),
      );
    },
  );

  test.each([
    ['was refused', refused(422)],
    ['was never sent', { state: 'not_sent' } as const],
  ])('may be used again when what bore it %s', (_what, change) => {
    const earlier = record('first', 1, change);
    expect(recordOfKey([earlier], own)).toBeNull();
    expect(recordOfKey([earlier], other)).toBeNull();
  });

  test('is free again after its request was refused for its API key', () => {
    const earlier = record('first', 1, refused(401));
    expect(recordOfKey([earlier], own)).toBeNull();
    expect(recordOfKey([earlier], other)).toBeNull();
  });

  test('belongs to the record that was applied rather than to one left open', () => {
    const applied = record('applied', 2, { state: 'applied' });
    expect(recordOfKey([record('open', 1, { state: 'unknown' }), applied], own)).toBe(applied);
  });
});

describe('the same command again without a key', () => {
  test.each(['prepared', 'sent', 'unknown'] as const)(
    'goes on with a %s record under 20 hours old',
    (state) => {
      const open = record('open', 19.9, { state });
      expect(recordToContinue([open], NOW)).toBe(open);
    },
  );

  test.each([
    ['is 20 hours old', record('r', 20, { state: 'unknown' })],
    ['was applied and told', record('r', 1, { state: 'applied', reported: true })],
    ['was refused', record('r', 1, refused(422))],
    ['was refused for its API key', record('r', 1, refused(401))],
    ['was never sent', record('r', 1, { state: 'not_sent' })],
    ['has no key', record('r', 1, { state: 'unknown', class: 'one-shot' })],
  ])('starts afresh when the earlier one %s', (_what, earlier) => {
    expect(recordToContinue([earlier], NOW)).toBeNull();
  });

  test('reports one that was applied and never told', () => {
    const untold = record('r', 1, { state: 'applied', reported: false });
    expect(recordToContinue([untold], NOW)).toBe(untold);
  });

  test('continues the newest of several', () => {
    const newest = record('newest', 1, { state: 'unknown' });
    expect(recordToContinue([newest, record('older', 2, { state: 'unknown' })], NOW)).toBe(newest);
  });
});
