import { describe, expect, test } from 'vitest';
import { createBlogPost } from '../../../../src/contract/operations/blog.ts';
import { beginLog } from '../../../../src/history/journal/open-log.ts';
import type { RecordState } from '../../../../src/history/record/history-record.ts';
import { intentOf } from '../../../../src/history/record/intent.ts';
import type { Machine } from '../../../helpers/cli.ts';
import { answer } from '../../../helpers/fault-server.ts';
import { type ScriptedScene, scriptedStore, setScene } from '../../../helpers/scene.ts';
import { historyOn, seedChange } from '../../../helpers/seed-history.ts';

const { storeId } = scriptedStore;
const reclaimId = '5f0c3f52-8f0e-4d1b-9d53-0a4c5e0b7a11';
const disputeId = '81ab3f52-8f0e-4d1b-9d53-0a4c5e0b7a12';
const post = ['blog', 'create', '--title', 'Spring sale', '--content-md', 'x'];
const body = { title: 'Spring sale', contentMd: 'x' };

/** Records a post that an earlier command was to create, as a process that has ended left it. */
async function recordPost(
  { server, machine }: ScriptedScene,
  state: RecordState,
  change: { hoursAgo?: number; body?: Record<string, unknown>; storeId?: string; origin?: string } = {},
): Promise<void> {
  const place = { origin: change.origin ?? server.url, storeId: change.storeId ?? storeId };
  const { hoursAgo = 0 } = change;
  await seedChange(machine, place, { operation: 'blog.create', body: change.body ?? body, state, hoursAgo });
}

async function run(machine: Machine, args: readonly string[]) {
  const { exitCode, stdout, stderr } = await machine.run([...args, '--json']);
  const last = stderr.trimEnd().split('\n').at(-1) ?? '';
  return { exitCode, stdout, error: exitCode === 0 ? null : JSON.parse(last).error };
}

describe('the same post again', () => {
  const created = answer(201, { id: 'p-2', title: 'Spring sale', slug: 'spring-sale' });

  test.each([
    ['applied', { exitCode: 6, code: 'already_sent', outcome: 'not_sent' }, 'history show'],
    ['sent', { exitCode: 10, code: 'outcome_unknown', outcome: 'unknown' }, 'resume'],
    ['unknown', { exitCode: 10, code: 'outcome_unknown', outcome: 'unknown' }, 'resume'],
  ] as const)('is refused after one that is %s, and says so', async (state, found, look) => {
    const scene = await setScene({ answers: [created] });
    await recordPost(scene, state, { hoursAgo: 23 });
    const { exitCode, error } = await run(scene.machine, post);
    expect({ exitCode, ...error }).toMatchObject({
      ...found,
      message: expect.stringMatching(/; nothing was sent$|, so this one was not sent$/),
      hint: expect.stringContaining(`storectl ${look} ${error.operationId}`),
    });
    expect(scene.server.requests).toHaveLength(0);
    expect(await run(scene.machine, [...post, '--allow-duplicate'])).toMatchObject({ exitCode: 0 });
  });

  test.each<[string, RecordState, Parameters<typeof recordPost>[2]]>([
    ['one that was refused', 'rejected', {}],
    ['one that was not sent', 'not_sent', {}],
    ['a day', 'applied', { hoursAgo: 24.1 }],
    ['one with other content', 'applied', { body: { ...body, contentMd: 'y' } }],
    ['one of another store', 'applied', { storeId: 'store-2' }],
    ['one at another service', 'applied', { origin: 'http://127.0.0.1:9' }],
  ])('is sent after %s', async (_what, state, change) => {
    const scene = await setScene({ answers: [created] });
    await recordPost(scene, state, change);
    expect(await run(scene.machine, post)).toMatchObject({ exitCode: 0 });
    expect(scene.server.requests).toHaveLength(1);
  });
});

describe('the same post, while another command may be sending it', () => {
  /** A post whose command still runs. */
  async function beginPost({ machine, server }: ScriptedScene) {
    const { journal } = historyOn(machine, { origin: server.url, storeId });
    const intent = intentOf({ operation: createBlogPost, body }, storeId);
    return beginLog(journal, { operation: 'blog.create', intents: [intent], isBatch: false });
  }

  test('waits for that command, and is refused once it was applied', async () => {
    const scene = await setScene({ answers: [answer(201, { id: 'p-2' })] });
    const writer = await beginPost(scene);
    const again = run(scene.machine, post);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await writer.change([{ id: writer.id, state: 'applied' }]);
    await writer.close();
    expect((await again).error).toMatchObject({ code: 'already_sent', operationId: writer.id });
    expect(scene.server.requests).toHaveLength(0);
  });

  test('waits no longer than the user does', async () => {
    const scene = await setScene({ answers: [answer(201, { id: 'p-2' })] });
    const writer = await beginPost(scene);
    const { exitCode } = await scene.machine.run(post, { signal: AbortSignal.timeout(300) });
    expect(exitCode).toBe(130);
    expect(scene.server.requests).toHaveLength(0);
    await writer.close();
  });
});

test('a second appeal of a notice is refused whatever it says, and one of another notice is not', async () => {
  const scene = await setScene({ answers: [answer(200, { id: reclaimId, status: 'appealed' })] });
  const { machine, server } = scene;
  const appeal = (id: string, text: string) => ['reclaim', 'appeal', id, '--text', text, '--confirm', id];
  expect(await run(machine, appeal(reclaimId, 'We are open'))).toMatchObject({ exitCode: 0 });
  const again = await run(machine, appeal(reclaimId, 'Truly'));
  expect(again.error).toMatchObject({
    code: 'already_sent',
    message: expect.stringContaining('you sent this before'),
    hint: expect.stringContaining('--resubmit'),
  });
  expect(server.requests).toHaveLength(1);
  const inCapitals = await run(machine, appeal(reclaimId.toUpperCase(), 'Truly'));
  expect(inCapitals.error).toMatchObject({ code: 'already_sent' });
  expect(server.requests).toHaveLength(1);
  await run(machine, appeal(disputeId, 'We are open'));
  expect(server.requests).toHaveLength(2);
});

describe('--confirm', () => {
  const appeal = ['reclaim', 'appeal', reclaimId, '--text', 'We are open'];

  test('with another id is refused before the dispute is read', async () => {
    const { machine, server } = await setScene({ answers: [answer(200, {})] });
    const decide = ['disputes', 'decide', disputeId, '--status', 'won', '--resolution', 'Delivered'];
    const { exitCode, error } = await run(machine, [...decide, '--confirm', reclaimId]);
    expect({ exitCode, ...error }).toMatchObject({ exitCode: 2, code: 'wrong_confirmation' });
    expect(server.requests).toHaveLength(0);
  });

  test.each([
    ['another id', disputeId, disputeId],
    ['nothing', '', '""'],
  ])('with %s is refused before anything is sent', async (_what, given, said) => {
    const scene = await setScene({ answers: [answer(200, {})] });
    const { exitCode, error } = await run(scene.machine, [...appeal, '--confirm', given]);
    expect({ exitCode, ...error }).toMatchObject({
      exitCode: 2,
      code: 'wrong_confirmation',
      message: `--confirm ${said} does not match ${reclaimId}`,
    });
    expect(scene.server.requests).toHaveLength(0);
  });

  test('takes the beginning of an id that this machine knows', async () => {
    const scene = await setScene({ answers: [answer(200, { id: reclaimId })] });
    const { machine, server } = scene;
    expect(await run(machine, [...appeal, '--confirm', reclaimId])).toMatchObject({ exitCode: 0 });
    const short = reclaimId.slice(0, 8);
    const again = ['reclaim', 'appeal', short, '--text', 'Truly', '--resubmit', '--confirm', short];
    expect(await run(machine, again)).toMatchObject({ exitCode: 0 });
    expect(server.requests.map(({ path }) => path.split('/').at(-2))).toEqual([reclaimId, reclaimId]);
  });
});

describe('a decision', () => {
  const decide = (...more: string[]) => [
    ...['disputes', 'decide', disputeId, '--status', 'won', '--resolution', 'Delivered'],
    ...['--confirm', disputeId, ...more],
  ];
  const dispute = (change: object) =>
    answer(200, { record: { id: disputeId, status: 'open', resolution: null, ...change }, evidence: [] });
  const decided = answer(200, { id: disputeId, status: 'won', resolution: 'Delivered' });
  const methodsOf = ({ server }: ScriptedScene) => server.requests.map(({ method }) => method);

  test.each([
    ['an open dispute', {}, []],
    ['one whose id is written in other letters', { id: disputeId.toUpperCase() }, []],
    ['one that does not say its id', { id: undefined }, []],
    ['one in the status that was expected', { status: 'lost' }, ['--expect-status', 'lost']],
  ])('of %s is sent', async (_what, change, more) => {
    const scene = await setScene({ answers: [dispute(change), decided] });
    expect(await run(scene.machine, decide(...more))).toMatchObject({ exitCode: 0 });
    expect(methodsOf(scene)).toEqual(['GET', 'POST']);
  });

  test.each(['won', 'refunded'])('with the status %s is sent', async (status) => {
    const scene = await setScene({ answers: [dispute({}), answer(200, { id: disputeId, status })] });
    const words = ['disputes', 'decide', disputeId, '--status', status, '--resolution', 'Delivered'];
    await scene.machine.run([...words, '--confirm', disputeId]);
    expect(methodsOf(scene)).toEqual(['GET', 'POST']);
  });

  test('that the dispute has already changes nothing', async () => {
    const scene = await setScene({ answers: [dispute({ status: 'won', resolution: 'Delivered' })] });
    const { exitCode, stdout } = await run(scene.machine, decide());
    expect({ exitCode, ...JSON.parse(stdout) }).toMatchObject({ exitCode: 0, changed: false });
    expect(methodsOf(scene)).toEqual(['GET']);
  });

  test.each([
    [
      'another status',
      { status: 'lost', resolution: 'Delivered' },
      [],
      'already decided as lost, which is final',
    ],
    [
      'another reason',
      { status: 'won', resolution: 'Lost in the post' },
      [],
      'already decided as won, with another resolution: "Lost in the post"',
    ],
    ['a status that was not expected', {}, ['--expect-status', 'lost'], 'the dispute is open, not lost'],
  ])('of a dispute with %s is refused', async (_what, change, more, said) => {
    const scene = await setScene({ answers: [dispute(change), decided] });
    const { exitCode, error } = await run(scene.machine, decide(...more));
    expect({ exitCode, ...error }).toMatchObject({
      exitCode: 6,
      code: 'unexpected_status',
      message: `${said}; nothing was sent`,
      outcome: 'not_sent',
      fields: [
        { field: 'status', flag: '--expect-status', detail: 'status' in change ? change.status : 'open' },
      ],
    });
    expect(methodsOf(scene)).toEqual(['GET']);
  });

  test('is not sent if the service shows another dispute', async () => {
    const scene = await setScene({ answers: [dispute({ id: reclaimId })] });
    const { exitCode, error } = await run(scene.machine, decide());
    expect({ exitCode, ...error }).toMatchObject({
      exitCode: 9,
      code: 'mismatched_response',
      message: expect.stringContaining(`record.id is "${reclaimId}" instead of "${disputeId}"`),
      outcome: 'not_sent',
    });
    expect(new Set(methodsOf(scene))).toEqual(new Set(['GET']));
  });
});
