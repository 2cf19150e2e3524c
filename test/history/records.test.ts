import { describe, expect, test } from 'vitest';
import { serializeWithChecksum } from '../../src/history/records/checksum.ts';
import { fingerprint } from '../../src/history/records/fingerprint.ts';
import { matches, mayMatch, type RecordQuery } from '../../src/history/records/query.ts';
import {
  type HistoryRecord,
  isUntold,
  lockName,
  mayHaveBeenApplied,
  parseRecord,
  rawOperationId,
  recordStates,
  serializeRecord,
  timeOfId,
} from '../../src/history/records/record.ts';
import { fingerprintIntent, newRecord } from '../../src/history/records/request-intent.ts';
import { backupIntent as intent } from './helpers/intents.ts';

const id = '20261121-053012-7k3f9a';
const now = Date.parse('2026-11-21T05:30:12.345Z');
const record = newRecord(fingerprintIntent(intent), id, now);

const answer: NonNullable<HistoryRecord['answer']> = {
  status: 422,
  body: null,
  problem: {
    status: 422,
    code: null,
    message: 'no',
    fields: [{ path: 'label', code: null, detail: 'long' }],
  },
  requestId: null,
  etag: null,
  receivedAt: '2026-11-21T05:30:13.000Z',
  replayed: false,
  retryAt: null,
  settledByReading: false,
};

describe('a record', () => {
  test.each(recordStates)('%s is read as it was written', (state) => {
    const failure = { code: 'timeout', message: 'no answer' };
    const whole = { ...record, state, answer, failure, fieldOfALaterVersion: 1 };
    expect(parseRecord(serializeRecord(whole), id)).toEqual({ record: whole });
  });

  test('an answer that does not say how it was found was the own answer of the operation', () => {
    const { settledByReading: _, ...early } = answer;
    const text = serializeWithChecksum({ ...record, answer: early }, 'file');
    expect(parseRecord(text, id)).toEqual({ record: { ...record, answer } });
  });

  test.each<[string, object]>([
    ['format', { format: 0 }],
    ['id', { id: 'no-id' }],
    ['createdAt', { createdAt: 'yesterday' }],
    ['updatedAt', { updatedAt: null }],
    ['profile', { profile: null }],
    ['storeId', { storeId: 1 }],
    ['class', { class: 'other' }],
    ['method', { method: 'TRACE' }],
    ['path', { path: 'v1/stores/' }],
    ['state', { state: 'done' }],
    ['attempts', { attempts: -1 }],
    ['answer.status', { answer: { ...answer, status: '422' } }],
    ['answer.receivedAt', { answer: { ...answer, receivedAt: 'later' } }],
    ['answer.problem.message', { answer: { ...answer, problem: { ...answer.problem, message: 1 } } }],
    ['answer.problem.fields.0.path', { answer: { ...answer, problem: { ...answer.problem, fields: [{}] } } }],
    ['failure.code', { failure: { message: 'no answer' } }],
    ['reported', { reported: 'yes' }],
  ])('with an unusable %s is damaged, and says so', (field, change) => {
    const text = serializeWithChecksum({ ...record, ...change }, 'file');
    expect(parseRecord(text, id)).toEqual({
      problem: { kind: 'damaged', message: expect.stringMatching(`^has an invalid ${field}(, |$)`) },
    });
  });

  test.each([
    ['nothing', ' \n', 'is empty'],
    ['half of it', serializeRecord(record).slice(0, 200), 'is not valid JSON (truncated?)'],
    ['another value', serializeRecord(record).replace('nightly', 'monthly'), 'does not match its checksum'],
    ['no checksum', JSON.stringify(record), 'does not match its checksum'],
    [
      'a newer format that is no number',
      serializeWithChecksum({ ...record, format: '3' }, 'file'),
      'has an invalid format',
    ],
    [
      'another id',
      serializeRecord({ ...record, id: '20261121-053012-zzzzzz' }),
      'contains record 20261121-053012-zzzzzz, which does not match its name',
    ],
  ])('with %s in its file is damaged', (_what, text, message) => {
    expect(parseRecord(text, id)).toEqual({ problem: { kind: 'damaged', message } });
  });

  test('of the first format had no checksum, and counts as reported', () => {
    const { reported: _, ...early } = { ...record, format: 1 as const };
    expect(parseRecord(JSON.stringify(early), id)).toEqual({ record: { ...early, reported: true } });
    const changed = serializeWithChecksum(early, 'file').replace('nightly', 'monthly');
    expect(parseRecord(changed, id)).toMatchObject({ problem: { kind: 'damaged' } });
  });

  test('of version 0.1.0 may have ids in capitals, which are those in small letters', () => {
    const [storeId, disputeId] = [
      '4be5d1aa-0c1f-7a64-8d2b-6f0e35c7a912',
      '01a2c1f0-7d1e-7c3a-9b52-0f48197d60fe',
    ];
    const at = (store: string, dispute: string) => ({
      ...record,
      storeId: store,
      path: `/v1/stores/${store}/operations/disputes/${dispute}/decision`,
    });
    const early = at(storeId.toUpperCase(), disputeId.toUpperCase());
    expect(parseRecord(serializeRecord(early), id)).toEqual({ record: at(storeId, disputeId) });
    const raw = { ...early, storeId, operation: rawOperationId };
    expect(parseRecord(serializeRecord(raw), id)).toEqual({ record: raw });
  });

  test('may have been applied if it was sent without a certain end, and is untold if the user was not told', () => {
    expect(recordStates.filter((state) => mayHaveBeenApplied({ state }))).toEqual(['sent', 'unknown']);
    expect(recordStates.filter((state) => isUntold({ state, reported: false }))).toEqual(['applied']);
    expect(recordStates.filter((state) => isUntold({ state, reported: true }))).toEqual([]);
  });

  test('shares the lock of its batch, or has its own', () => {
    const other = '20261121-053012-zzzzzz';
    const names = [id, other].flatMap((one) => [
      lockName({ id: one, batch: null }),
      lockName({ id: one, batch: 'b' }),
    ]);
    expect(new Set(names).size).toBe(3);
    expect(names[1]).toBe(names[3]);
  });

  test('of another body than it says is damaged', () => {
    const other = { ...record, body: '{"label":"weekly"}' };
    const message = 'has a body that does not match its checksum';
    expect(parseRecord(serializeRecord(other), id)).toEqual({ problem: { kind: 'damaged', message } });
  });

  test('is pretty in a file of its own, and one line in a log', () => {
    expect(serializeWithChecksum({ id: 'a' }, 'file')).toMatch(
      /^\{\n {2}"id": "a",\n {2}"checksum": "[0-9a-f]{64}"\n\}\n$/,
    );
    expect(serializeWithChecksum({ id: 'a' }, 'line')).toMatch(/^\{"id":"a","checksum":"[0-9a-f]{64}"\}\n$/);
  });

  test('without a body has no checksum of it', () => {
    const bodyless = fingerprintIntent({ ...intent, body: null });
    expect(bodyless).toMatchObject({ bodySha256: null, idempotencyKey: null });
    const made = newRecord(bodyless, id, now);
    expect(parseRecord(serializeRecord(made), id)).toEqual({ record: made });
  });
});

test('the time of an id is that of its record, to the second', () => {
  expect(timeOfId(id)).toBe(Date.parse('2026-11-21T05:30:12Z'));
});

test('bodies that are no JSON, or no object, stand for themselves', () => {
  const bodies = ['a=1', 'a=2', '"ab"', '["a","b"]', '{"0":"a","1":"b"}', '1'];
  const found = new Set(bodies.map((body) => fingerprint({ ...intent, body })));
  expect(found.size).toBe(bodies.length);
});

describe('a query', () => {
  const young = now + 1_000;

  test.each<[keyof RecordQuery, RecordQuery, RecordQuery]>([
    ['operation', { operation: 'backup.create' }, { operation: 'backup.restore' }],
    ['state', { state: 'prepared' }, { state: 'sent' }],
    ['state', { state: ['sent', 'prepared'] }, { state: [] }],
    ['storeId', { storeId: 'store-1' }, { storeId: 'store-2' }],
    ['origin', { origin: 'https://api.example.com' }, { origin: 'https://api.example.org' }],
    ['path', { path: intent.path }, { path: `${intent.path}/b` }],
    ['fingerprint', { fingerprint: record.fingerprint }, { fingerprint: 'f' }],
    ['idempotencyKey', { idempotencyKey: 'K' }, { idempotencyKey: 'L' }],
    ['open', { open: true }, { open: false }],
    ['maxAgeMs', { maxAgeMs: 1_000 }, { maxAgeMs: 999 }],
  ])('narrows down by %s', (_field, right, wrong) => {
    expect(matches(record, right, young)).toBe(true);
    expect(matches(record, wrong, young)).toBe(false);
  });

  test('for what was not sent does not find what was', () => {
    expect(matches({ ...record, state: 'sent' }, { state: 'not_sent' }, now)).toBe(false);
  });

  test('passes over a text that has neither the fingerprint nor the key', () => {
    const text = serializeRecord(record);
    expect(mayMatch(text, { fingerprint: record.fingerprint, idempotencyKey: 'K' })).toBe(true);
    expect(mayMatch(text, { fingerprint: record.fingerprint, idempotencyKey: 'L' })).toBe(false);
    expect(mayMatch(text, { fingerprint: 'f', idempotencyKey: 'K' })).toBe(false);
    expect(mayMatch(text, {})).toBe(true);
  });
});
