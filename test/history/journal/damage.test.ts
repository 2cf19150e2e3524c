import * as fs from 'node:fs';
import { renameSync, rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listLogs } from '../../../src/history/journal/log-folder.ts';
import { beginLog, reopenLog } from '../../../src/history/journal/open-log.ts';
import { findUnusable, repairLogs } from '../../../src/history/journal/repair.ts';
import { failWith } from '../../helpers/broken-disk.ts';
import {
  cutAt,
  flipBit,
  lineOf,
  newerLog,
  readWrittenLog,
  repeatLine,
  replaceLine,
  swapLines,
  type WrittenLog,
} from '../../helpers/written-log.ts';
import {
  allRecords,
  beginOne,
  codeOf,
  type JournalScene,
  problemsIn,
  refusalOf,
  setJournalScene,
} from './scene.ts';
import { applied, intent, post, unknown } from './values.ts';

/** The log of a run with three changes, of which the second is in doubt if `isPending`. */
async function writeBatch({ journal }: JournalScene, { isPending = false } = {}): Promise<string> {
  const intents = [post('a'), post('b')];
  const writer = await beginLog(journal, { operation: 'blog.create', intents, isBatch: true });
  await writer.change([applied(`${writer.id}.1`)]);
  await writer.add(post('c'));
  await writer.change([
    isPending ? unknown(`${writer.id}.2`) : applied(`${writer.id}.2`),
    applied(`${writer.id}.3`),
  ]);
  await writer.close();
  return writer.id;
}

/** The log as the journal has written it. */
const written = ({ folder, files }: JournalScene) => readWrittenLog(path.join(folder, files()[0] ?? ''));

/** Of a closed log: a header, two requests in one line, an outcome, a request, two outcomes in one line, and the closing line. */
const damages: [string, (log: WrittenLog) => Buffer | string][] = [
  ['emptied', () => ''],
  ['only blanks', () => '  \n'],
  ['only NULs', ({ bytes }) => Buffer.alloc(bytes.length)],
  ['without its header', (log) => replaceLine(log, lineOf(log, 'header'))],
  ['with nothing but its header', (log) => cutAt(log, lineOf(log, 'header').end)],
  ['cut after a line', (log) => cutAt(log, lineOf(log, 'request', 1).end)],
  ['cut in its last outcome', (log) => cutAt(log, lineOf(log, 'outcome', -1).end - 40)],
  ['without a line in between', (log) => replaceLine(log, lineOf(log, 'outcome'))],
  ['with a line twice', (log) => repeatLine(log, lineOf(log, 'outcome'))],
  ['with two lines swapped', (log) => swapLines(log, lineOf(log, 'outcome'), lineOf(log, 'outcome', 1))],
  ['with a flipped bit in a request', (log) => flipBit(log, lineOf(log, 'request'))],
  ['with a flipped bit in an outcome', (log) => flipBit(log, lineOf(log, 'outcome'))],
  ['with a flipped checksum', (log) => flipBit(log, lineOf(log, 'outcome'), -5)],
  ['with NULs in the middle', (log) => replaceLine(log, lineOf(log, 'request', 1), '\0'.repeat(300))],
];

/** The log with a line that cannot be read. */
function breakLine(
  scene: JournalScene,
  ...which: readonly [held: 'request' | 'outcome', nth?: number]
): Buffer {
  const log = written(scene);
  return replaceLine(log, lineOf(log, ...which), 'broken\n');
}

describe('a closed log', () => {
  test.each(damages)(
    '%s is damaged, and repaired so that nothing is taken for settled that is not',
    async (_what, damage) => {
      const scene = setJournalScene();
      const id = await writeBatch(scene);
      const [name = ''] = scene.files();
      const text = damage(written(scene)).toString();
      scene.write(text);
      const journal = scene.open();
      expect(codeOf(() => allRecords(journal))).toBe('history_damaged');
      expect(refusalOf(journal, 'blog.create')).toBe('history_damaged');

      const [repaired, ...others] = await repairLogs(journal);
      expect(others).toEqual([]);
      expect(repaired).toMatchObject({ id, file: expect.stringContaining(name) });
      expect(scene.text(repaired?.copy.replace(scene.folder, '').slice(1))).toBe(text);
      const records = allRecords(scene.open());
      expect(records).toEqual(repaired?.records);
      const doubt = records.filter((record) => record.state !== 'applied');
      expect(doubt.every(({ state, open }) => state === 'unknown' && open)).toBe(true);
      // Either each of the three is there, or a record without its request stands for the rest.
      expect(records.length >= 3 || records.some((record) => record.requestLost)).toBe(true);
      expect(await repairLogs(scene.open())).toEqual([]);
    },
  );

  test('keeps what its whole lines say when it is repaired', async () => {
    const scene = setJournalScene();
    await writeBatch(scene);
    const before = allRecords(scene.journal);
    scene.write(breakLine(scene, 'outcome'));
    const [repaired] = await repairLogs(scene.open());
    const [first, second, third] = allRecords(scene.open());
    expect(first).toMatchObject({
      ...before[0],
      state: 'unknown',
      response: null,
      open: true,
      updatedAt: expect.any(String),
    });
    expect([second, third]).toEqual(before.slice(1));
    expect(repaired?.message).toBe('has a damaged line 3');
  });

  test('with a change in doubt keeps that when it is repaired, and nothing stands for others', async () => {
    const scene = setJournalScene();
    await writeBatch(scene, { isPending: true });
    scene.write(breakLine(scene, 'outcome'));
    await repairLogs(scene.open());
    expect(allRecords(scene.open()).map(({ requestLost }) => requestLost)).toEqual([false, false, false]);
  });

  test('under another number is damaged', async () => {
    const scene = setJournalScene();
    await writeBatch(scene);
    const [name = ''] = scene.files();
    renameSync(path.join(scene.folder, name), path.join(scene.folder, name.replace('000001-', '000002-')));
    expect(codeOf(() => allRecords(scene.open()))).toBe('history_damaged');
  });

  test('counts its records, so a request that is lost stands for itself', async () => {
    const scene = setJournalScene();
    const id = await writeBatch(scene);
    scene.write(breakLine(scene, 'request', 1));
    await repairLogs(scene.open());
    const third = allRecords(scene.open()).filter((record) => record.requestLost);
    expect(third).toMatchObject([
      { id: `${id}.3`, operation: 'blog.create', state: 'unknown', body: null, path: '', open: true },
    ]);
    const writer = await reopenLog(scene.open(), id);
    await writer.change([{ id: `${id}.3`, state: 'not_sent' }]);
    await writer.close();
    expect(allRecords(scene.open()).filter((record) => record.open)).toEqual([]);
  });

  test('that is emptied leaves one record that stands for all', async () => {
    const scene = setJournalScene();
    const { id, change, close } = await beginOne(scene.journal);
    await change([applied(id)]);
    await close();
    scene.write('');
    const [repaired] = await repairLogs(scene.open());
    expect(repaired?.message).toBe('is empty');
    expect(allRecords(scene.open())).toMatchObject([
      {
        operation: intent.operation,
        requestLost: true,
        state: 'unknown',
        open: true,
        createdAt: '2026-11-23T00:00:00.000Z',
      },
    ]);
  });

  test('that has no more than its header lost a record, and can be read once it is repaired', async () => {
    const scene = setJournalScene();
    await beginOne(scene.journal);
    // Its process was killed.
    rmSync(path.join(scene.folder, 'locks'), { recursive: true });
    const log = written(scene);
    scene.write(cutAt(log, lineOf(log, 'header').end));
    const [repaired] = await repairLogs(scene.open());
    expect(repaired?.message).toBe('ends before its first record');
    expect(allRecords(scene.open())).toMatchObject([{ requestLost: true, state: 'unknown', open: true }]);
  });

  test('of a newer version is neither damaged nor repaired', async () => {
    const scene = setJournalScene();
    await writeBatch(scene);
    scene.write(newerLog(written(scene)));
    const journal = scene.open();
    expect(problemsIn(journal)).toMatchObject([{ kind: 'newer' }]);
    expect(await repairLogs(journal)).toEqual([]);
  });

  test('of another store is refused', async () => {
    const scene = setJournalScene();
    await beginOne(scene.journal);
    const other = scene.open({ store: { baseUrl: 'https://api.example.com/staging', storeId: 'x' } });
    expect(codeOf(() => allRecords(other))).toBe('history_unreadable');
  });
});

const tails: [string, string][] = [
  ['half a line', '{"line":4,"records":[{"id":"x","st'],
  ['NULs', '\0'.repeat(500)],
  ['blanks', '     '],
  ['broken lines', 'x\n\0\ny\n'],
];

describe('a closed log whose closing line was lost with the power', () => {
  test.each([['nothing', ''], ...tails, ['half of it', '{"line":6,"closed":{"rec']])(
    'and which ends with %s is open, with all its outcomes, until they are reported',
    async (_what, tail) => {
      const scene = setJournalScene();
      const id = await writeBatch(scene);
      const before = allRecords(scene.journal);
      const log = written(scene);
      scene.write(replaceLine(log, lineOf(log, 'closing'), tail));
      expect(allRecords(scene.open())).toEqual(before.map((record) => ({ ...record, open: true })));
      expect(await repairLogs(scene.open())).toEqual([]);
      const writer = await reopenLog(scene.open(), id);
      for (const record of before) writer.report(record.id);
      await writer.close();
      expect(allRecords(scene.open())).toEqual(before);
      expect(listLogs(scene.open())).toMatchObject([{ status: 'closed' }]);
    },
  );

  test.each(tails)('is whole where that is there, whatever follows: %s', async (_what, tail) => {
    const scene = setJournalScene();
    await writeBatch(scene);
    const before = allRecords(scene.journal);
    scene.write(scene.text() + tail);
    expect(allRecords(scene.open())).toEqual(before);
  });

  test('and which lost an outcome as well is damaged: that was synced', async () => {
    const scene = setJournalScene();
    const id = await writeBatch(scene);
    const log = written(scene);
    scene.write(cutAt(log, lineOf(log, 'request', 1).end - 1));
    const [repaired] = await repairLogs(scene.open());
    expect(repaired?.message).toBe(`ends before the outcome of ${id}.2`);
  });
});

describe('the log of a process that was killed', () => {
  test.each(tails)('may end with %s, which is cut off by who goes on with it', async (_what, tail) => {
    const scene = setJournalScene();
    const { id, change } = await beginOne(scene.journal);
    await change([unknown(id)]);
    const whole = scene.text();
    scene.write(whole + tail);
    // Another process, which finds the lock of this one broken.
    rmSync(path.join(scene.folder, 'locks'), { recursive: true });
    const journal = scene.open();
    expect(allRecords(journal)).toMatchObject([{ id, state: 'unknown', open: true }]);
    expect(await repairLogs(journal)).toEqual([]);
    const again = await reopenLog(journal, id);
    expect(scene.text()).toBe(whole);
    await again.close();
    expect(allRecords(scene.open())).toMatchObject([{ id, state: 'unknown', open: true }]);
    expect(scene.files()).toEqual([expect.stringContaining('.pending.')]);
  });

  test.each(tails)('may end with %s behind its closing line', async (_what, tail) => {
    const scene = setJournalScene();
    const id = await writeBatch(scene, { isPending: true });
    const whole = scene.text();
    scene.write(whole + tail);
    expect(allRecords(scene.open()).map((record) => record.open)).toEqual([false, true, false]);
    const writer = await reopenLog(scene.open(), id);
    expect(scene.text()).toBe(whole);
    await writer.change([applied(`${id}.2`)]);
    await writer.close();
    expect(scene.text().startsWith(whole)).toBe(true);
    expect(allRecords(scene.open()).map((record) => record.open)).toEqual([false, false, false]);
  });

  test('may lack its last line break', async () => {
    const scene = setJournalScene();
    const id = await writeBatch(scene, { isPending: true });
    const whole = scene.text();
    scene.write(whole.trimEnd());
    const writer = await reopenLog(scene.open(), id);
    await writer.change([applied(`${id}.2`)]);
    await writer.close();
    expect(scene.text().startsWith(whole)).toBe(true);
    expect(allRecords(scene.open()).map(({ state }) => state)).toEqual(['applied', 'applied', 'applied']);
  });

  test('is damaged where a whole line follows a broken one', async () => {
    const scene = setJournalScene();
    const { id, change } = await beginOne(scene.journal);
    await change([unknown(id)]);
    scene.write(breakLine(scene, 'request'));
    expect(codeOf(() => allRecords(scene.open()))).toBe('history_damaged');
  });
});

/** Random cuts, flips, zeros, and lines that move. */
const change = fc.oneof(
  fc.record({ kind: fc.constant('cut' as const), at: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({
    kind: fc.constant('flip' as const),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    bit: fc.nat(7),
  }),
  fc.record({
    kind: fc.constant('zero' as const),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.integer({ min: 1, max: 400 }),
  }),
  fc.record({ kind: fc.constant('move' as const), from: fc.nat(7), to: fc.nat(7) }),
  fc.record({ kind: fc.constant('drop' as const), from: fc.nat(7) }),
);
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

function disturb(bytes: Buffer, how: Change): Buffer {
  if (how.kind === 'move' || how.kind === 'drop') {
    const lines = bytes.toString('latin1').split('\n');
    const [line = ''] = lines.splice(how.from % lines.length, 1);
    if (how.kind === 'move') lines.splice(how.to % (lines.length + 1), 0, line);
    return Buffer.from(lines.join('\n'), 'latin1');
  }
  const at = Math.min(bytes.length - 1, Math.floor(how.at * bytes.length));
  if (how.kind === 'cut') return bytes.subarray(0, at);
  const copy = Buffer.from(bytes);
  if (how.kind === 'flip') copy[at] = (copy[at] ?? 0) ^ (1 << how.bit);
  else copy.fill(0, at, Math.min(copy.length, at + how.length));
  return copy;
}

test.each([false, true])(
  'random damage of a closed log is noticed (pending: %s), and its repair forgets nothing',
  async (isPending) => {
    const scene = setJournalScene();
    await writeBatch(scene, { isPending });
    const [name = ''] = scene.files();
    const whole = Buffer.from(scene.text());
    const before = allRecords(scene.journal);
    const log = written(scene);
    const { start, end } = lineOf(log, 'closing');
    const closingLine = log.bytes.toString('utf8', start, end - 1);
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        for (const left of scene.files()) rmSync(path.join(scene.folder, left));
        const bytes = changes.reduce<Buffer>(
          (left, how) => (left.length === 0 ? left : disturb(left, how)),
          whole,
        );
        scene.write(bytes, name);
        const isNoticed = codeOf(() => allRecords(scene.open())) !== 'none';
        expect(refusalOf(scene.open(), 'blog.create') !== 'none').toBe(isNoticed);
        const isClosed = bytes.toString().split('\n').includes(closingLine);
        if (isNoticed) await repairLogs(scene.open());
        const after = allRecords(scene.open());
        const byId = new Map(after.map((record) => [record.id, record]));
        const standsForAll = after.some((record) => record.requestLost && record.open);
        for (const { open: _, updatedAt: __, ...was } of before) {
          const record = byId.get(was.id);
          // Without a closing line, the end of a log with a doubt looks like the end of a killed process.
          const mayEndEarlier = isPending && !isNoticed && !isClosed;
          if (record === undefined) expect(standsForAll || mayEndEarlier).toBe(true);
          else if (record.state === 'unknown' || mayEndEarlier) expect(record.open).toBe(true);
          else expect(record).toMatchObject(was);
        }
        if (isNoticed) return;
        if (isClosed) expect(after).toEqual(before);
        else if (!isPending) expect(after).toEqual(before.map((record) => ({ ...record, open: true })));
      }),
      { numRuns: 150 },
    );
  },
);

describe('a log of another user', () => {
  /** The folder as a user finds it who may not read one of its logs: `sudo` left it. */
  async function leaveForeign() {
    const scene = setJournalScene();
    await (await beginOne(scene.journal)).close();
    const [name = ''] = scene.files();
    const file = path.join(scene.folder, name);
    const fileSystem = new Proxy(fs, {
      get: (target, method: keyof typeof fs) => {
        if (method === 'openSync')
          return (opened: string, ...rest: [number]) =>
            opened === file ? failWith('EACCES') : fs.openSync(opened, ...rest);
        if (method !== 'lstatSync') return target[method];
        return (found: string, options: { throwIfNoEntry: false }) =>
          Object.assign(fs.lstatSync(found, options) ?? {}, found === file && { uid: 12_345 });
      },
    });
    return { journal: scene.open({ fileSystem }), file, folder: scene.folder };
  }

  test('is not damaged: the error says whose it is, and how to get it back', async () => {
    const { journal, file, folder } = await leaveForeign();
    const problem = expect.objectContaining({
      code: 'history_unreadable',
      message: `cannot read ${file}: it belongs to another user (uid 12345)`,
      advice: `run sudo chown -R ${userInfo().username} ${folder} to get it back`,
    });
    expect(() => allRecords(journal)).toThrow(problem);
    expect(problemsIn(journal)).toEqual([problem]);
    expect(await repairLogs(journal)).toEqual([]);
    expect(findUnusable(journal)).toEqual([problem]);
  });
});
