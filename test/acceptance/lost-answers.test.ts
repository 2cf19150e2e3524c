import { expect, test } from 'vitest';
import type { Passage } from '../helpers/lossy-proxy.ts';
import type { ProgramMachine } from '../helpers/program.ts';
import { type ProgramScene, setScene } from '../helpers/scene.ts';
import type { TestService } from '../helpers/service.ts';
import { typed } from '../helpers/typed.ts';
import { effectsOf, errorOf } from './effects.ts';

/** A backup to restore, made where nothing is lost. */
async function makeBackup({ machine }: ProgramScene): Promise<string> {
  const { stdout } = await machine.run(['backup', 'create', '--label', 'first', '--sections', 'store', '-q']);
  return stdout.trim();
}

/** The keyed operations: the command, and how many effects of it the database shows. */
const keyedOperations = {
  'disputes open': {
    command: () => ['disputes', 'open', '--reason', 'Parcel never arrived'],
    effects: async (service: TestService) =>
      (await effectsOf(service)).disputes.filter(({ reason }) => reason === 'Parcel never arrived').length,
  },
  'backup create': {
    command: () => ['backup', 'create', '--label', 'nightly', '--sections', 'store,blog'],
    effects: async (service: TestService) =>
      (await effectsOf(service)).backups.filter(({ label }) => label === 'nightly').length,
  },
  'backup restore': {
    command: (id: string) => typed`backup restore ${id} --sections store --confirm ${id} --no-safety-backup`,
    effects: async (service: TestService) => (await effectsOf(service)).restores.length,
  },
};

const show = async (machine: ProgramMachine, id: string) =>
  JSON.parse((await machine.run(['history', 'show', id, '--json'])).stdout);

/** Runs a trial of every keyed operation at the same time, each in a scene of its own: most of it is waiting. */
async function tryKeyed(
  trial: (scene: ProgramScene, args: string[], effects: () => Promise<number>) => Promise<void>,
) {
  await Promise.all(
    Object.values(keyedOperations).map(async ({ command, effects }) => {
      const scene = await setScene({ built: true });
      await trial(scene, command(await makeBackup(scene)), () => effects(scene.service));
    }),
  );
}

test('keyed: every answer but the last is lost after the commit: one effect, exit 0, history counts the attempts', async () => {
  await tryKeyed(async ({ proxy, machine }, args, effects) => {
    const before = proxy.writes().length;
    let lost = 0;
    proxy.decide(({ method }) => {
      if (method === 'GET' || lost === 3) return 'pass';
      lost += 1;
      return 'drop';
    });
    const result = await machine.run([...args, '--json']);
    expect(result).toMatchObject({ exitCode: 0 });
    const sent = proxy.writes().slice(before);
    expect(sent).toHaveLength(4);
    expect(new Set(sent.map(({ bytes }) => bytes)).size).toBe(1);
    expect(await effects()).toBe(1);
    const [{ id }] = JSON.parse((await machine.run(['history', 'list', '--json'])).stdout);
    const record = await show(machine, id);
    expect(record).toMatchObject({ state: 'applied', attempts: 4, body: sent[0]?.body });
    expect(JSON.parse(result.stdout)).toEqual(JSON.parse(record.response.body));
  });
}, 120_000);

test('keyed: all answers are lost: exit 10 with the id, and resume ends it with the same key and the same bytes', async () => {
  await tryKeyed(async ({ proxy, machine }, args, effects) => {
    const before = proxy.writes().length;
    proxy.decide(() => 'drop');
    const result = await machine.run([...args, '--json']);
    expect(result.exitCode).toBe(10);
    const error = errorOf(result);
    expect(error).toMatchObject({ code: 'outcome_unknown', outcome: 'unknown' });
    expect(error.hint).toContain(`storectl resume ${error.operationId}`);
    expect(await show(machine, error.operationId)).toMatchObject({ state: 'unknown', attempts: 4 });

    proxy.decide(() => 'pass');
    const resumed = await machine.run(['resume', error.operationId, '--json']);
    expect(resumed).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(resumed.stdout)).toMatchObject({ action: 'sent', state: 'applied', attempts: 5 });
    expect((await machine.run(['resume'])).stderr).toContain('Nothing to resume');
    const [first, ...others] = proxy.writes().slice(before);
    // Before it is restored again, what is there now is saved.
    const sent = [first, ...others.filter(({ path }) => path === first?.path)];
    expect(sent).toHaveLength(5);
    expect(new Set(sent.map((request) => request?.bytes)).size).toBe(1);
    expect(await effects()).toBe(1);
  });
}, 120_000);

test('the safety backup of a restore is as safe: with lost answers there is one of each', async () => {
  const scene = await setScene({ built: true });
  const { proxy, machine, service } = scene;
  const id = await makeBackup(scene);
  const seen = new Map<string, number>();
  proxy.decide(({ body }) => {
    const times = (seen.get(body) ?? 0) + 1;
    seen.set(body, times);
    return times < 3 ? 'drop' : 'pass';
  });
  const result = await machine.run(['backup', 'restore', id, '--sections', 'store', '--confirm', id]);
  expect(result).toMatchObject({ exitCode: 0 });
  const { backupEvents, restores } = await effectsOf(service);
  expect({ backupEvents, restores }).toEqual({ backupEvents: 2, restores: [id] });
});

/** The one-shot operations: the command, and how many effects of it the database shows. */
const oneShotOperations = {
  'blog create': {
    command: () => ['blog', 'create', '--title', 'Spring sale', '--content-md', 'All inks.'],
    effects: async (service: TestService) =>
      (await effectsOf(service)).posts.filter(({ title }) => title === 'Spring sale').length,
  },
  'reclaim appeal': {
    command: ({ example }: ProgramScene) => {
      const id = example.reclaims[0]?.id ?? '';
      return ['reclaim', 'appeal', id, '--text', 'The shop is open.', '--confirm', id];
    },
    effects: async (service: TestService) =>
      (await effectsOf(service)).reclaims.filter(({ appealText }) => appealText === 'The shop is open.')
        .length,
  },
  'notify add-endpoint': {
    command: () => typed`notify add-endpoint --name Team --events feedback_digest
      --url https://discord.com/api/webhooks/4711/a-token`,
    effects: async (service: TestService) =>
      (await effectsOf(service)).endpoints.filter(({ name }) => name === 'Team').length,
  },
};

/** As {@link oneShotOperations}, and an update. All are sent with a key in the header. */
const headerKeyed = {
  ...oneShotOperations,
  'store update': {
    command: () => ['store', 'update', '--name', 'Outlet'],
    effects: async ({ storage, storeId }: TestService) => {
      const read = storage.read((db) =>
        db.selectFrom('stores').selectAll().where('id', '=', storeId).execute(),
      );
      return (await read).filter(({ name }) => name === 'Outlet').length;
    },
  },
};

const lost = {
  'the request did not arrive': { passage: 'lose', applied: 0 },
  'the request was applied': { passage: 'drop', applied: 1 },
} as const;

test.each(
  Object.entries(headerKeyed).flatMap(([name, operation]) =>
    Object.entries(lost).map(([how, trouble]) => ({ name, how, ...operation, ...trouble })),
  ),
)('$name in doubt, $how: one resume ends it without a question, nothing is doubled', async (row) => {
  const scene = await setScene({ built: true });
  const { proxy, machine, service } = scene;
  const args = row.command(scene);
  proxy.decide(({ method }) => (method === 'GET' ? 'lose' : row.passage));
  const result = await machine.run([...args, '--json']);
  expect(result.exitCode).toBe(10);
  expect(await row.effects(service)).toBe(row.applied);
  const { operationId } = errorOf(result);

  proxy.decide(() => 'pass');
  const resumed = await machine.run(['resume', '--json']);

  expect(resumed).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(resumed.stdout)).toMatchObject([{ id: operationId, action: 'sent', state: 'applied' }]);
  expect(await row.effects(service)).toBe(1);
  const writes = proxy.writes().map(({ bytes }) => bytes);
  expect(new Set(writes).size).toBe(1);
  expect((await machine.run(['resume'])).stderr).toContain('Nothing to resume');
});

test.each(Object.entries(headerKeyed).map(([name, operation]) => ({ name, ...operation })))(
  '$name whose response is lost is ended by the command itself',
  async (row) => {
    const scene = await setScene({ built: true });
    const { proxy, machine, service } = scene;
    let writes = 0;
    proxy.decide(({ method }) => (method !== 'GET' && ++writes === 1 ? 'drop' : 'pass'));

    expect(await machine.run(row.command(scene))).toMatchObject({ exitCode: 0 });

    expect(proxy.writes().map(({ bytes }) => bytes)).toEqual(Array(2).fill(proxy.writes()[0]?.bytes));
    expect(await row.effects(service)).toBe(1);
  },
);

test('blog create in doubt is ended by the same command again, too', async () => {
  const scene = await setScene({ built: true });
  const { proxy, machine, service } = scene;
  const { command, effects } = oneShotOperations['blog create'];
  proxy.decide(({ method }) => (method === 'GET' ? 'lose' : 'drop'));
  expect(await machine.run(command())).toMatchObject({ exitCode: 10 });
  proxy.decide(() => 'pass');

  const again = await machine.run(command());

  expect(again).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Sending') });
  expect(await effects(service)).toBe(1);
});

const troubles = {
  'a 503': { passage: { status: 503, headers: { 'retry-after': '1' }, body: '' }, applied: 0 },
  'a reset before the service': { passage: 'lose', applied: 0 },
  'a reset after the commit': { passage: 'drop', applied: 1 },
} as const;

// Every operation, every trouble, and every way not to know of keys: what is done about them is the same code.
test.each(
  (
    [
      ['blog create', 'a 503', 'of both'],
      ['blog create', 'a reset before the service', 'of requests'],
      ['blog create', 'a reset after the commit', 'of responses'],
      ['reclaim appeal', 'a reset after the commit', 'of requests'],
      ['notify add-endpoint', 'a 503', 'of responses'],
    ] as const
  ).map(([name, trouble, hides]) => ({
    name,
    trouble,
    hides,
    ...oneShotOperations[name],
    ...troubles[trouble],
  })),
)(
  '$name and $trouble, headers $hides hidden: exit 10, one request, and resume sends nothing',
  async (row) => {
    const scene = await setScene({ built: true, ...row });
    const { proxy, machine, service } = scene;
    proxy.decide(({ method }) => (method === 'GET' ? 'pass' : row.passage));
    const args = row.command(scene);
    const result = await machine.run([...args, '--json']);
    expect(result.exitCode).toBe(10);
    expect(proxy.writes()).toHaveLength(1);
    const error = errorOf(result);
    expect(error).toMatchObject({ code: 'outcome_unknown', outcome: 'unknown' });

    proxy.decide(() => 'pass');
    const resumed = await machine.run(['resume', error.operationId]);
    expect(resumed.exitCode).toBe(10);
    expect(resumed.stdout).toContain('sending it again could do it twice');
    expect(resumed.stderr).toContain(`storectl resume ${error.operationId} --mark applied`);
    const again = await machine.run(args);
    expect(again.exitCode).toBe(10);
    expect(again.stderr).toContain(error.operationId);
    expect(proxy.writes()).toHaveLength(1);
    expect(await row.effects(service)).toBe(row.applied);
  },
);

const decide = ({ example }: ProgramScene) => {
  const id = example.disputes.find(({ status }) => status === 'open')?.id ?? '';
  return ['disputes', 'decide', id, '--status', 'won', '--resolution', 'Delivered.', '--confirm', id];
};

test('disputes decide whose response is lost is sent again with its key: exit 0 with one decision', async () => {
  const scene = await setScene({ built: true });
  const { proxy, machine, service } = scene;
  let writes = 0;
  proxy.decide(({ method }) => (method !== 'GET' && ++writes === 1 ? 'drop' : 'pass'));
  expect(await machine.run([...decide(scene), '--json'])).toMatchObject({ exitCode: 0 });
  expect(proxy.requests.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET', 'POST']);
  const { decisions } = await effectsOf(service);
  expect(decisions.filter(({ disputeId }) => disputeId === decide(scene)[2])).toHaveLength(1);
});

test('disputes decide in doubt that a colleague has decided otherwise since is rejected by resume', async () => {
  const scene = await setScene({ built: true });
  const { proxy, machine } = scene;
  const args = decide(scene);
  proxy.decide(({ method, path }) => (method === 'GET' && !path.endsWith('/decision') ? 'pass' : 'lose'));
  expect(await machine.run(args)).toMatchObject({ exitCode: 10 });
  proxy.decide(() => 'pass');
  const lost = [
    ...args.slice(0, 3),
    '--status',
    'lost',
    '--resolution',
    'Refunded.',
    '--confirm',
    args[2] ?? '',
  ];
  expect(await scene.anotherMachine().run(lost)).toMatchObject({ exitCode: 0 });

  const resumed = await machine.run(['resume', '--json']);

  expect(resumed).toMatchObject({ exitCode: 6 });
  expect(JSON.parse(resumed.stdout)).toMatchObject([{ action: 'sent', state: 'rejected' }]);
  expect((await machine.run(['resume'])).stderr).toContain('Nothing to resume');
});

test('disputes decide settles a lost answer by reading where keys are not known: exit 0 with one decision, one POST', async () => {
  const scene = await setScene({ built: true, hides: 'of both' });
  const { proxy, machine, service } = scene;
  proxy.decide(({ method }) => (method === 'POST' ? 'drop' : 'pass'));
  const result = await machine.run([...decide(scene), '--json']);
  expect(result).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(result.stdout)).toMatchObject({ status: 'won', resolution: 'Delivered.' });
  expect(proxy.writes()).toHaveLength(1);
  const { decisions } = await effectsOf(service);
  expect(decisions.filter(({ disputeId }) => disputeId === decide(scene)[2])).toHaveLength(1);
});

test('disputes decide after a 503 or a reset that changed nothing, where keys are not known: exit 10, one POST, never sent again', async () => {
  const trial = async (passage: Passage) => {
    const scene = await setScene({ built: true, hides: 'of both' });
    const { proxy, machine, service } = scene;
    const args = decide(scene);
    proxy.decide(({ method }) => (method === 'POST' ? passage : 'pass'));
    const result = await machine.run(args);
    expect(result.exitCode).toBe(10);
    expect(result.stderr).toContain('nothing has changed yet');
    proxy.decide(() => 'pass');
    expect(await machine.run(['resume'])).toMatchObject({ exitCode: 10 });
    expect(proxy.writes()).toHaveLength(1);
    const { decisions } = await effectsOf(service);
    expect(decisions.map(({ disputeId }) => disputeId)).not.toContain(args[2]);
  };
  await Promise.all([trial({ status: 503 }), trial('lose')]);
}, 120_000);
