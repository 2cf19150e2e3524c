import * as fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { knownObjects, type SeenObject } from '../../../src/history/objects/known-objects.ts';
import { readSeen, rememberSeen } from '../../../src/history/objects/seen-objects.ts';
import type { HistoryRecord } from '../../../src/history/record/history-record.ts';
import { temporaryFolder } from '../../helpers/cli.ts';
import { recordOf } from '../helpers/records.ts';

let folder: string;
const file = () => path.join(folder, '.seen.jsonl');

beforeEach(() => {
  folder = path.join(temporaryFolder(), 'history', 'main');
});

const dispute = (id: string, change: Partial<SeenObject> = {}): SeenObject => ({
  kind: 'dispute',
  id,
  seenAt: '2026-11-21T05:30:12.345Z',
  fields: { status: 'open' },
  ...change,
});

describe('objects that reads showed', () => {
  test('are remembered in order, readable by their owner only', () => {
    expect(readSeen(folder)).toEqual([]);
    const seen = [dispute('d-2'), dispute('d-1'), dispute('d-2')];
    rememberSeen(folder, seen);
    expect(readSeen(folder)).toEqual(seen);
    expect(fs.statSync(file()).mode & 0o777).toBe(0o600);
    expect(fs.statSync(folder).mode & 0o777).toBe(0o700);
  });

  test('lose no other when a line is torn or is something else', () => {
    rememberSeen(folder, [dispute('d-1')]);
    fs.appendFileSync(file(), '{"id":"torn\n{"id":7,"fields":{}}\n{"id":"x","fields":"y"}\nnull\n\n');
    rememberSeen(folder, [dispute('d-2')]);
    expect(readSeen(folder).map(({ id }) => id)).toEqual(['d-1', 'd-2']);
  });

  test('never fail a command: where they cannot be kept, they are not', () => {
    fs.mkdirSync(path.dirname(folder), { recursive: true });
    fs.writeFileSync(folder, '');
    rememberSeen(folder, [dispute('d-1')]);
    expect(readSeen(folder)).toEqual([]);
  });

  test('take half a megabyte at most: then each is kept once, as it was last seen', () => {
    fs.mkdirSync(folder, { recursive: true });
    const long = { note: 'x'.repeat(400) };
    const lines = Array.from({ length: 1_100 }, (_, index) => dispute(`d-${index}`, { fields: long }));
    const again = dispute('d-1', { fields: { status: 'won' } });
    const other = dispute('d-2', { fields: { status: 'lost' } });
    for (const object of [...lines, again]) {
      fs.appendFileSync(file(), `${JSON.stringify(object)}\n`);
    }
    rememberSeen(folder, [other]);
    const kept = readSeen(folder);
    expect(kept).toHaveLength(1_000);
    expect(kept.slice(-2)).toEqual([again, other]);
    expect(fs.statSync(file()).mode & 0o777).toBe(0o600);
    expect(fs.readdirSync(folder)).toEqual(['.seen.jsonl']);
  });
});

describe('what this machine knows', () => {
  const response = (body: string, receivedAt = '2026-11-21T05:30:05.000Z') => ({
    status: 200,
    body,
    receivedAt,
    problem: null,
    requestId: null,
    etag: null,
    replayed: false,
    retryAt: null,
    settledByReading: false,
  });
  const record = (change: Partial<HistoryRecord>) =>
    recordOf('disputes.decide', 1, {
      createdAt: '2026-11-21T05:30:00.000Z',
      path: '/v1/stores/s/operations/disputes/d%2D1/decision',
      response: response('{"id":"d-1","status":"won"}'),
      ...change,
    });

  test('is each object once, in its last known state, the last seen first', () => {
    const records = [record({}), record({ operation: 'backup.create', path: '/b', response: null })];
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

  test('has the state in which it was last shown with one', () => {
    const [known] = knownObjects('dispute', [record({ state: 'unknown', response: null })], [dispute('d-1')]);
    expect(known).toMatchObject({ fields: { status: 'open' } });
    const doubtful = record({ state: 'unknown', response: null, createdAt: '2026-11-21T08:00:00.000Z' });
    expect(knownObjects('dispute', [doubtful], [dispute('d-1')])[0]).toMatchObject({
      fields: { status: 'open' },
    });
  });

  test.each<[string, Partial<HistoryRecord>]>([
    ['a refusal mentions only', { state: 'rejected' }],
    [
      'an answer does not name',
      {
        path: '/v1/stores/s/operations/disputes',
        operation: 'disputes.open',
        response: response('null'),
      },
    ],
    [
      'an unreadable answer may name',
      { path: '/x', operation: 'disputes.open', response: response('{"id":') },
    ],
  ])('leaves out what %s', (_what, change) => {
    expect(knownObjects('dispute', [record(change)])).toEqual([]);
  });
});
