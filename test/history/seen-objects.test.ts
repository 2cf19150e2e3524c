import * as fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { knownObjects, type SeenObject } from '../../src/history/objects/known-objects.ts';
import type { RecordOutline } from '../../src/history/records/outline.ts';
import { readSeen, rememberSeen } from '../../src/history/objects/seen-objects.ts';
import { temporaryFolder } from '../helpers/cli.ts';

let folder: string;
const file = () => path.join(folder, '.seen.jsonl');

beforeEach(() => {
  folder = path.join(temporaryFolder(), 'history', 'main');
});

const dispute = (id: string, change: Partial<SeenObject> = {}): SeenObject => ({
  kind: 'dispute',
  id,
  seenAt: '2026-11-21T05:30:12.345Z',
  origin: 'https://api.example.com',
  storeId: 'store-1',
  fields: { status: 'open' },
  ...change,
});

describe('objects that reads showed', () => {
  test('are remembered in order, readable by their owner only', () => {
    expect(readSeen(folder)).toEqual([]);
    const seen = [dispute('d-2'), dispute('d-1'), dispute('d-2')];
    for (const object of seen) rememberSeen(folder, object);
    expect(readSeen(folder)).toEqual(seen);
    expect(fs.statSync(file()).mode & 0o777).toBe(0o600);
    expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
  });

  test('lose no other when a line is torn or is something else', () => {
    rememberSeen(folder, dispute('d-1'));
    fs.appendFileSync(file(), '{"id":"torn\n{"id":7,"fields":{}}\n{"id":"x","fields":"y"}\nnull\n\n');
    rememberSeen(folder, dispute('d-2'));
    expect(readSeen(folder).map(({ id }) => id)).toEqual(['d-1', 'd-2']);
  });

  test('never fail a command: where they cannot be kept, they are not', () => {
    fs.mkdirSync(path.dirname(folder), { recursive: true });
    fs.writeFileSync(folder, '');
    rememberSeen(folder, dispute('d-1'));
    expect(readSeen(folder)).toEqual([]);
  });

  test('take half a megabyte at most: then each is kept once, the last seen of each store', () => {
    fs.mkdirSync(folder, { recursive: true });
    const long = { note: 'x'.repeat(400) };
    const lines = Array.from({ length: 1_100 }, (_, index) => dispute(`d-${index}`, { fields: long }));
    const again = dispute('d-1', { fields: { status: 'won' } });
    const elsewhere = dispute('d-1', { storeId: 'store-2' });
    const other = dispute('d-1', { origin: 'https://other' });
    for (const object of [...lines, again, elsewhere]) {
      fs.appendFileSync(file(), `${JSON.stringify(object)}\n`);
    }
    rememberSeen(folder, other);
    const kept = readSeen(folder);
    expect(kept).toHaveLength(1_000);
    expect(kept.slice(-3)).toEqual([again, elsewhere, other]);
    expect(fs.statSync(file()).mode & 0o777).toBe(0o600);
    expect(fs.readdirSync(folder)).toEqual(['.seen.jsonl']);
  });
});

describe('what this machine knows', () => {
  const record = (change: Partial<RecordOutline>): RecordOutline => ({
    id: '20261121-053012-aaaaaa',
    createdAt: '2026-11-21T05:30:00.000Z',
    origin: 'https://api.example.com',
    storeId: 'store-1',
    operation: 'disputes.decide',
    path: '/v1/stores/s/operations/disputes/d%2D1/decision',
    state: 'applied',
    answer: { status: 200, body: '{"id":"d-1","status":"won"}', receivedAt: '2026-11-21T05:30:05.000Z' },
    ...change,
  });

  test('is each object once, in its last known state, the last seen first', () => {
    const records = [record({}), record({ operation: 'backup.create', path: '/b', answer: null })];
    const seen = [
      dispute('d-1', { seenAt: '2026-11-21T05:00:00.000Z' }),
      dispute('d-2', { seenAt: '2026-11-21T06:00:00.000Z' }),
      dispute('r-1', { kind: 'reclaim' }),
    ];
    expect(knownObjects('dispute', records, seen)).toEqual([
      { id: 'd-2', seenAt: '2026-11-21T06:00:00.000Z', fields: { status: 'open' } },
      { id: 'd-1', seenAt: '2026-11-21T05:30:05.000Z', fields: { id: 'd-1', status: 'won' } },
    ]);
    expect(knownObjects('reclaim', records, seen).map(({ id }) => id)).toEqual(['r-1']);
  });

  test('has the state of an earlier sighting while the last one shows none', () => {
    const [known] = knownObjects('dispute', [record({ state: 'unknown', answer: null })], [dispute('d-1')]);
    expect(known).toMatchObject({ fields: { status: 'open' } });
    const doubtful = record({ state: 'unknown', answer: null, createdAt: '2026-11-21T08:00:00.000Z' });
    expect(knownObjects('dispute', [doubtful], [dispute('d-1')])[0]).toMatchObject({
      fields: { status: 'open' },
    });
  });

  test.each([
    ['a refusal mentions only', { state: 'rejected' }],
    [
      'an answer does not name',
      {
        path: '/v1/stores/s/operations/disputes',
        operation: 'disputes.open',
        answer: { status: 201, body: 'null', receivedAt: '' },
      },
    ],
    [
      'an unreadable answer may name',
      { path: '/x', operation: 'disputes.open', answer: { status: 201, body: '{"id":', receivedAt: '' } },
    ],
  ])('leaves out what %s', (_what, change) => {
    expect(knownObjects('dispute', [record(change)])).toEqual([]);
  });
});
