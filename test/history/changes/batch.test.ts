import * as fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FileSystem } from '../../../src/base/files/files.ts';
import { createBlogPost } from '../../../src/contract/operations/blog.ts';
import { type BatchOptions, beginBatch, type HistoryBatch } from '../../../src/history/changes/batch.ts';
import type { StoreHistory } from '../../../src/history/history.ts';
import { type HistoryScene, post, setHistoryScene } from '../helpers/scene.ts';
import type { Reaction } from '../helpers/store-server.ts';

const titles = Array.from({ length: 12 }, (_, index) => `Post ${index}`);
const postOf = (title: string) => ({ ...post, body: { title, contentMd: 'x' } });
const create = (batch: HistoryBatch, title: string) => batch.change(postOf(title));
const titleOf = ({ body }: { body: string | null }) => JSON.parse(body ?? '{}').title;

function begin(
  scene: HistoryScene,
  history: StoreHistory,
  options: Partial<BatchOptions> = {},
): Promise<HistoryBatch> {
  return beginBatch(history, {
    client: scene.client,
    operation: createBlogPost,
    maxAtOnce: () => 1,
    isOver: () => false,
    ...options,
  });
}

/** Runs a batch in a separate process. */
async function runBatch<Found>(
  scene: HistoryScene,
  run: (batch: HistoryBatch) => Promise<Found>,
  { fileSystem, ...options }: Partial<BatchOptions> & { fileSystem?: FileSystem } = {},
): Promise<Found> {
  const history = scene.open(fileSystem);
  const batch = await begin(scene, history, options);
  try {
    return await run(batch);
  } finally {
    batch.end();
    await history.end();
  }
}

const createAll = (batch: HistoryBatch) => Promise.all(titles.map((title) => create(batch, title)));
const states = (scene: HistoryScene) =>
  scene
    .records()
    .map((record) => `${titleOf(record)} ${record.state}`)
    .sort();

describe('a batch', () => {
  test('is one log; each request is on record before it arrives', async () => {
    const unrecorded: string[] = [];
    const scene = await setHistoryScene(({ body }) => {
      const found = scene.records().find((record) => record.body === body);
      if (found?.state !== 'sent') unrecorded.push(body);
      return 'answer';
    });
    const done = await runBatch(scene, createAll, { maxAtOnce: () => 4 });
    expect(unrecorded).toEqual([]);
    expect(done.map((sent) => sent?.outcome.kind)).toEqual(titles.map(() => 'applied'));
    expect(scene.files()).toEqual([expect.stringMatching(/^000001-\d{8}-\w{6}-blog\.create\.jsonl$/)]);
    expect(scene.locks()).toEqual([]);
    expect(scene.records().every(({ open }) => !open)).toBe(true);
    expect(done.map((sent) => sent?.record.id.split('.')[1])).toEqual(
      titles.map((_, index) => `${index + 1}`),
    );
  });

  test('has a limited number of requests in flight, and sends no more once it is over', async () => {
    let isOver = false;
    const flight = { now: 0, most: 0 };
    const scene = await setHistoryScene(async (): Promise<Reaction> => {
      flight.now += 1;
      flight.most = Math.max(flight.most, flight.now);
      await new Promise((resolve) => setImmediate(resolve));
      isOver = true;
      flight.now -= 1;
      return 'answer';
    });
    const done = await runBatch(scene, createAll, { maxAtOnce: () => 3, isOver: () => isOver });
    expect(flight.most).toBeLessThanOrEqual(3);
    const sent = done.filter((one) => one !== null);
    expect(sent).toHaveLength(scene.server.received.length);
    expect(sent.length).toBeLessThan(titles.length);
    // What was recorded and not sent says so.
    expect(scene.records().filter(({ state }) => state === 'applied')).toHaveLength(sent.length);
    expect(scene.records().filter(({ open }) => open)).toEqual([]);
  });

  test('that is over before it begins leaves no log and no lock', async () => {
    const scene = await setHistoryScene();
    expect(await runBatch(scene, (batch) => create(batch, 'a'), { isOver: () => true })).toBeNull();
    expect(scene.files()).toEqual([]);
    expect(scene.locks()).toEqual([]);
  });

  test('reports a refusal before the next is sent', async () => {
    const scene = await setHistoryScene(() => ({ status: 422, body: {} }));
    let isOver = false;
    const [first, second] = await runBatch(
      scene,
      async (batch) => {
        const one = create(batch, 'a').then((sent) => {
          isOver = true;
          return sent;
        });
        return Promise.all([one, create(batch, 'b')]);
      },
      { isOver: () => isOver },
    );
    expect(first?.outcome.kind).toBe('rejected');
    expect(second).toBeNull();
    expect(scene.server.received).toHaveLength(1);
  });

  test('tries a throttled request again and again, and counts all attempts', async () => {
    const scene = await setHistoryScene((_, number) =>
      number < 6 ? { status: 429, body: {}, headers: { 'retry-after': '1' } } : 'answer',
    );
    let waits = 0;
    const onRetry = () => {
      waits += 1;
    };
    const sent = await runBatch(scene, (batch) => create(batch, 'a'), { onRetry });
    expect(sent?.record).toMatchObject({ state: 'applied', attempts: 6 });
    expect(scene.records()).toMatchObject([{ state: 'applied', attempts: 6 }]);
    expect(waits).toBe(5);
  });
});

describe('the guards of a post hold for each post of a batch', () => {
  test('one in doubt, or sent within a day, is refused, and the others are sent', async () => {
    const scene = await setHistoryScene(({ body }) => (body.includes('lost') ? 'drop' : 'answer'));
    await scene.change(postOf('lost'));
    await scene.change(postOf('sent'));
    scene.server.clear();
    scene.react = () => 'answer';
    await runBatch(scene, async (batch) => {
      await expect(create(batch, 'lost')).rejects.toMatchObject({ reason: 'in_doubt' });
      await expect(create(batch, 'sent')).rejects.toMatchObject({ reason: 'duplicate' });
      expect((await create(batch, 'new'))?.outcome.kind).toBe('applied');
      expect((await batch.change({ ...postOf('sent'), allowDuplicate: true }))?.outcome.kind).toBe('applied');
    });
    expect(scene.server.received.map(titleOf)).toEqual(['new', 'sent']);
  });

  test('another process waits until the batch has ended, and then is refused what it has sent', async () => {
    const scene = await setHistoryScene();
    const history = scene.open();
    const batch = await begin(scene, history);
    await create(batch, 'a');
    let isWaiting = false;
    const other = scene.change(postOf('a'), {
      onWait: () => {
        isWaiting = true;
        batch.end();
        void history.end();
      },
    });
    await expect(other).rejects.toMatchObject({ reason: 'duplicate' });
    expect(isWaiting).toBe(true);
    expect(scene.server.received).toHaveLength(1);
  });

  test('a post with the API key is refused before it is written, and the others are sent', async () => {
    const scene = await setHistoryScene();
    await runBatch(scene, async (batch) => {
      await create(batch, 'a');
      await expect(create(batch, 'my sk_secret_key')).rejects.toMatchObject({ code: 'secret_in_record' });
      await create(batch, 'b');
    });
    expect(states(scene)).toEqual(['a applied', 'b applied']);
    for (const name of scene.files())
      expect(fs.readFileSync(path.join(scene.folder, name), 'utf8')).not.toContain('sk_secret_key');
  });
});

describe('a batch whose disk fails', () => {
  const failing = (isFailing: () => boolean): FileSystem => ({
    ...fs,
    fdatasync: Object.assign(
      (descriptor: number, done: fs.NoParamCallback) =>
        isFailing() ? done(Object.assign(new Error('EIO'), { code: 'EIO' })) : fs.fdatasync(descriptor, done),
      { __promisify__: fs.fdatasync.__promisify__ },
    ),
  });

  test('sends nothing more, and what was sent is on record', async () => {
    let isFailing = false;
    const scene = await setHistoryScene((_, number) => {
      isFailing = number >= 3;
      return 'answer';
    });
    const fileSystem = failing(() => isFailing);
    const results = await runBatch(
      scene,
      (batch) => Promise.allSettled(titles.map((title) => create(batch, title))),
      { fileSystem },
    );
    // One more was on disk already when the sync failed.
    expect(scene.server.received.length).toBeLessThanOrEqual(4);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(scene.server.received.length);
    const sent = scene.server.received.map(titleOf);
    const recorded = scene.records();
    expect(recorded.map(titleOf)).toEqual(expect.arrayContaining(sent));
    expect(recorded.at(2)).toMatchObject({ state: 'sent', open: true });
  });
});

test('long posts go to several logs of one run, and each is found', async () => {
  const scene = await setHistoryScene(() => ({ status: 201, body: { id: 'p', title: 't' } }));
  const contentMd = 'x'.repeat(900_000);
  const done = await runBatch(scene, async (batch) => {
    const sent = [];
    for (const title of titles) sent.push(await batch.change({ ...post, body: { title, contentMd } }));
    return sent;
  });
  expect(scene.files()).toHaveLength(3);
  for (const sent of done)
    expect(
      scene
        .open()
        .snapshot()
        .get(sent?.record.id ?? '').state,
    ).toBe('unknown');
});

test('open posts are resumed in the slots of a batch', async () => {
  const scene = await setHistoryScene(() => 'drop');
  const lost = await scene.change({ ...post, body: { ...post.body, slug: 'hello' } });
  scene.react = ({ method, path: to }) =>
    method === 'GET' && to === '/openapi.json'
      ? { status: 404, body: {} }
      : { status: 409, body: { code: 'slug_taken' } };
  const left = await runBatch(scene, (batch) => batch.resume(lost.record.id));
  expect(left).toMatchObject({ action: 'left_open' });
  expect(await runBatch(scene, (batch) => batch.resume(lost.record.id), { isOver: () => true })).toBeNull();
});

describe('a batch of large posts', () => {
  const mebibyte = 1024 * 1024;
  const logSizes = (scene: HistoryScene) =>
    scene.files().map((name) => fs.statSync(path.join(scene.folder, name)).size);
  const largePost = (title: string, size: number) => ({
    ...post,
    body: { title, contentMd: 'x'.repeat(size) },
  });

  test('goes on in another log before one is too large, however many are sent at once', async () => {
    const scene = await setHistoryScene();
    const createLarge = (batch: HistoryBatch) =>
      Promise.all(titles.map((title) => batch.change(largePost(title, 1.5 * mebibyte))));
    await runBatch(scene, createLarge, { maxAtOnce: () => 12 });
    expect(scene.records()).toHaveLength(titles.length);
    expect(Math.max(...logSizes(scene))).toBeLessThan(8 * mebibyte);
    expect(scene.records().every(({ state, open }) => state === 'applied' && !open)).toBe(true);
  });

  test('whose responses are as large as they may be leaves a log that can be read', async () => {
    const pad = 'x'.repeat(7.9 * mebibyte);
    const scene = await setHistoryScene((_, number) => ({
      status: 201,
      body: { id: `made-${number}`, pad },
    }));
    const done = await runBatch(scene, createAll, { maxAtOnce: () => 12 });
    expect(done.map((sent) => sent?.outcome.kind)).toEqual(titles.map(() => 'applied'));
    expect(scene.open().snapshot().list().problems).toEqual([]);
    expect(states(scene)).toEqual(titles.map((title) => `${title} applied`).sort());
  });

  test('a request that alone is too large for a log is not sent', async () => {
    const scene = await setHistoryScene();
    const tooLarge = scene.change({ ...post, body: { title: 'x', contentMd: '"'.repeat(17 * mebibyte) } });
    await expect(tooLarge).rejects.toMatchObject({
      code: 'history_unwritable',
      advice: 'make the request smaller',
    });
    expect(scene.server.received).toEqual([]);
    expect(scene.files()).toEqual([]);
  });
});
