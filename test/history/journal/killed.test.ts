import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Journal } from '../../../src/history/journal/journal.ts';
import { listLogs } from '../../../src/history/journal/log-folder.ts';
import { type LogWriter, recordIn } from '../../../src/history/journal/log-writer.ts';
import { beginLog, reopenLog } from '../../../src/history/journal/open-log.ts';
import { repairLogs } from '../../../src/history/journal/repair.ts';
import { pruneLogs } from '../../../src/history/prune.ts';
import type { HistoryRecord } from '../../../src/history/record/history-record.ts';
import { deadProcess, type KillableDisk, killableDisk } from '../../helpers/broken-disk.ts';
import { lineOf, readWrittenLog, replaceLine } from '../../helpers/written-log.ts';
import { allRecords, dayMs, type JournalScene, setJournalScene } from './scene.ts';
import { applied, post, unknown } from './values.ts';

type Acknowledge = (records: readonly HistoryRecord[]) => void;

/** A run with several changes, and another one that goes on with it. */
async function runBatch(journal: Journal, acknowledge: Acknowledge): Promise<void> {
  const writer = await beginLog(journal, { operation: 'blog.create', intents: [post('a')], isBatch: true });
  const change = async (to: LogWriter, ...[changes, options]: Parameters<LogWriter['change']>) => {
    await to.change(changes, options);
    acknowledge(changes.map(({ id }) => recordIn(to.records, id)));
  };
  acknowledge([...writer.records.values()]);
  acknowledge(await Promise.all([writer.add(post('b')), writer.add(post('c'))]));
  await Promise.all([
    change(writer, [applied(`${writer.id}.1`)], { mayWait: true }),
    change(writer, [unknown(`${writer.id}.2`)]),
  ]);
  await writer.close();
  const again = await reopenLog(journal, writer.id);
  await change(again, [applied(`${writer.id}.2`), applied(`${writer.id}.3`)]);
  await again.close();
  const more = await reopenLog(journal, writer.id);
  acknowledge([await more.add(post('d'))]);
  await more.close();
}

/** Kills the run before each change of the disk, and looks at what is left. */
async function killEverywhere(
  look: (scene: JournalScene, disk: KillableDisk, acknowledged: HistoryRecord[]) => Promise<void>,
) {
  for (let killAt = 1; ; killAt += 1) {
    const scene = setJournalScene();
    const disk = killableDisk(killAt);
    const acknowledged = new Map<string, HistoryRecord>();
    const run = runBatch(scene.open({ fileSystem: disk.fileSystem, process: deadProcess() }), (records) => {
      for (const record of records) acknowledged.set(record.id, record);
    });
    const wasKilled = await run.then(
      () => disk.calls.length >= killAt,
      () => true,
    );
    if (existsSync(scene.folder)) await look(scene, disk, [...acknowledged.values()]);
    if (!wasKilled) return killAt;
  }
}

const order = ['sent', 'unknown', 'applied'];

/** Everything acknowledged is there, as it was or further on, and the logs can be gone on with. */
async function expectNothingLost(
  { open, folder, files }: JournalScene,
  acknowledged: HistoryRecord[],
  when: string,
) {
  const journal = open();
  const found = new Map(allRecords(journal).map((record) => [record.id, record]));
  for (const { id, state, body } of acknowledged) {
    const record = found.get(id);
    expect(record, `${id} ${when}`).toMatchObject({ body });
    expect(order.indexOf(record?.state ?? ''), `${id} ${when}`).toBeGreaterThanOrEqual(order.indexOf(state));
    if (record?.state !== 'applied') expect(record?.open, `${id} ${when}`).toBe(true);
  }
  for (const log of listLogs(journal)) {
    expect(journal.isLogHeld(log.id), when).toBe(false);
    const writer = await reopenLog(journal, log.id);
    for (const id of writer.records.keys()) writer.report(id);
    await writer.change([...writer.records.keys()].map(applied));
    await writer.close();
  }
  expect(
    allRecords(open()).filter((record) => record.open),
    when,
  ).toEqual([]);
  expect(
    files().filter((name) => /(open|pending)\.jsonl$/.test(name)),
    when,
  ).toEqual([]);
  await pruneLogs(open(), { olderThanMs: 365 * dayMs });
  const locks = path.join(folder, 'locks');
  const left = existsSync(locks) ? readdirSync(locks) : [];
  expect(
    left.filter((name) => !name.endsWith('.tmp')),
    when,
  ).toEqual([]);
}

test('a process killed before any change of the disk loses nothing that was acknowledged', async () => {
  const steps = await killEverywhere((scene, disk, acknowledged) =>
    expectNothingLost(scene, acknowledged, `killed at ${disk.calls.length} (${disk.calls.at(-1)})`),
  );
  expect(steps).toBeGreaterThan(60);
}, 120_000);

test.each([true, false])(
  'nor does a power cut that keeps %s names that were not synced',
  async (keepsNames) => {
    await killEverywhere((scene, disk, acknowledged) => {
      disk.cutPower(scene.folder, { keepsNames });
      rmSync(path.join(scene.folder, 'locks'), { recursive: true, force: true });
      return expectNothingLost(scene, acknowledged, `cut at ${disk.calls.length} (${disk.calls.at(-1)})`);
    });
  },
  120_000,
);

test.each([
  { ending: 'killed', cut: null },
  { ending: 'cut off from power, and keeps names that were not synced', cut: { keepsNames: true } },
  { ending: 'cut off from power, and loses names that were not synced', cut: { keepsNames: false } },
])(
  'a repair that is $ending can be repeated',
  async ({ cut }) => {
    for (let killAt = 1; ; killAt += 1) {
      const scene = setJournalScene();
      const intents = [post('a'), post('b')];
      const writer = await beginLog(scene.journal, { operation: 'blog.create', intents, isBatch: true });
      await writer.change([applied(`${writer.id}.1`)]);
      await writer.change([applied(`${writer.id}.2`)]);
      await writer.close();
      const log = readWrittenLog(path.join(scene.folder, scene.files()[0] ?? ''));
      scene.write(replaceLine(log, lineOf(log, 'outcome', 1)));
      const disk = killableDisk(killAt, scene.folder);
      const killed = repairLogs(scene.open({ fileSystem: disk.fileSystem, process: deadProcess() }));
      const wasKilled = await killed.then(
        () => disk.calls.length >= killAt,
        () => true,
      );
      if (cut !== null) {
        disk.cutPower(scene.folder, cut);
        rmSync(path.join(scene.folder, 'locks'), { recursive: true, force: true });
      }
      await repairLogs(scene.open());
      const records = allRecords(scene.open());
      expect(
        records.map(({ id, state, open }) => [id.slice(6), state, open]),
        `${disk.calls.at(-1)}`,
      ).toEqual([
        ['.1', 'applied', false],
        ['.2', 'unknown', true],
      ]);
      expect(scene.files()).toHaveLength(1);
      if (!wasKilled) return;
    }
  },
  120_000,
);
