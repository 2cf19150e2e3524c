import * as fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { readNewestRecords } from '../../src/history/newest-records.ts';
import { temporaryFolder } from '../helpers/cli.ts';

let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

const idOf = (number: number) =>
  `20261121-0530${String(number % 60).padStart(2, '0')}-${String(number).padStart(6, '0')}`;
const recordOf = (id: string, change: object = {}) => ({ format: 2, id, state: 'applied', ...change });
const put = (name: string, text: string) => fs.writeFileSync(path.join(folder, name), text);
const putRecord = (id: string, change: object = {}) =>
  put(`${id}.json`, JSON.stringify(recordOf(id, change)));
const newestIds = () => readNewestRecords(folder).map(({ id }) => id);

describe('what completion reads of the history', () => {
  test('is nothing where there is no folder, or no folder but a file', () => {
    expect(readNewestRecords(path.join(folder, 'none'))).toEqual([]);
    put('file', '');
    expect(readNewestRecords(path.join(folder, 'file'))).toEqual([]);
  });

  test('is the newest 200 records, newest first, whether in files or in the log of a batch', () => {
    const ids = Array.from({ length: 260 }, (_, number) => idOf(number)).sort();
    const batched = ids.filter((_, index) => index % 2 === 0);
    for (const id of ids.filter((_, index) => index % 2 === 1)) putRecord(id);
    const log = (part: string[]) => part.map((id) => `${JSON.stringify(recordOf(id))}\n`).join('');
    put('20261121-053000-aaaaaa.batch', log(batched.slice(0, 60)));
    put('20261121-053001-aaaaaa.batch', log(batched.slice(60)));
    expect(newestIds()).toEqual(ids.toReversed().slice(0, 200));
  });

  test('prefers the own file of a record to the log of its batch', () => {
    const id = idOf(1);
    put('20261121-053000-aaaaaa.batch', `${JSON.stringify(recordOf(id, { state: 'unknown' }))}\n`);
    putRecord(id, { state: 'applied' });
    expect(readNewestRecords(folder)).toMatchObject([{ id, state: 'applied' }]);
  });

  test('passes over what is no record, and takes what is missing for empty', () => {
    putRecord(idOf(0), { answer: { status: 201, body: '{}', receivedAt: 'now' } });
    putRecord(idOf(1), { origin: 7, answer: { status: 200, body: 7 } });
    putRecord(idOf(2), { answer: 'none' });
    put(`${idOf(3)}.json`, '{"id":');
    put(`${idOf(4)}.json`, 'null');
    put(`${idOf(5)}.json`, '{"id":5}');
    put('notes.json', JSON.stringify(recordOf('notes')));
    put(`${idOf(6)}.txt`, JSON.stringify(recordOf(idOf(6))));
    fs.mkdirSync(path.join(folder, `${idOf(7)}.json`));
    fs.symlinkSync(path.join(folder, 'nowhere'), path.join(folder, `${idOf(8)}.json`));
    fs.symlinkSync('/nowhere', path.join(folder, '20261121-053000-aaaaaa.batch'));
    const empty = { createdAt: '', origin: '', storeId: '', operation: '', path: '', state: 'applied' };
    expect(readNewestRecords(folder)).toEqual([
      { ...empty, id: idOf(2), answer: null },
      { ...empty, id: idOf(1), answer: { status: 200, body: null, receivedAt: '' } },
      { ...empty, id: idOf(0), answer: { status: 201, body: '{}', receivedAt: 'now' } },
    ]);
  });

  test('is no more than 4 MiB: of a longer log its end, and no older one', () => {
    const long = 'x'.repeat(1024 * 1024);
    const line = (number: number) => `${JSON.stringify(recordOf(idOf(number), { body: long }))}\n`;
    put('20261121-053001-aaaaaa.batch', [1, 2, 3, 4, 5].map(line).join(''));
    for (const letter of 'abcd') put(`20261121-053000-${letter.repeat(6)}.batch`, line(0));
    expect(newestIds()).toEqual([5, 4, 3].map(idOf));
  });

  test('is no more than 4 MiB of files', () => {
    const long = 'x'.repeat(1024 * 1024);
    for (const number of [1, 2, 3, 4, 5]) putRecord(idOf(number), { body: long });
    expect(newestIds()).toEqual([5, 4, 3].map(idOf));
  });
});
