import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { createBackup } from '../../src/contract/operations/backups.ts';
import { openDispute } from '../../src/contract/operations/disputes.ts';
import { openHistory } from '../../src/history/journal.ts';
import type { RecordState } from '../../src/history/records/record.ts';
import { insertReclaim } from '../../src/service/storage/queries/reclaims.ts';
import type { ProgramMachine } from '../helpers/program.ts';
import { effectsOf, type Scene, setScene } from './scene.ts';

/*
 * kill -9 at every step of the program: every file that it writes, syncs, renames, links or removes, every connection,
 * every write to and every read from a socket. `kill-hook.cjs` counts these steps and dies at the one that it is told.
 */

const preload = path.resolve('test/acceptance/kill-hook.cjs');

/** The steps are the same in each run: none keeps what it has compiled. */
const sameSteps = { NODE_DISABLE_COMPILE_CACHE: '1' };

/** As many processes at once as keep two cores busy. */
const AT_ONCE = 4;

async function forEachConcurrently<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  const next = async (): Promise<void> => {
    const item = queue.shift();
    if (item === undefined) return;
    await work(item);
    return next();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
}

/** The names of the steps of a run that nobody kills. */
async function stepsOf(machine: ProgramMachine, args: readonly string[]): Promise<string[]> {
  const file = path.join(machine.folder, 'steps.json');
  const result = await machine.run(args, { preload, env: { ...sameSteps, STEPS_FILE: file } });
  expect(result).toMatchObject({ exitCode: 0 });
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** Performs an operation from here, without the program. */
async function perform({ service }: Scene, operation: Operation, body: object): Promise<string> {
  const client = createClient({
    baseUrl: service.origin,
    apiKey: service.apiKey,
    userAgent: 'test',
    env: {},
  });
  const parameters = { storeId: service.storeId };
  const outcome = await client.call(operation, { parameters, body: JSON.stringify(body) });
  await client.close();
  if (outcome.kind !== 'applied') throw new Error(`not applied: ${outcome.kind}`);
  return (outcome.body as { id: string }).id;
}

interface Trial {
  readonly machine: ProgramMachine;
  readonly args: readonly string[];
  /** Unlike that of every other trial. */
  readonly name: string;
  readonly killAt: number;
  /** For messages: `killed at step 12 of 60 (renameSync)`. */
  readonly when: string;
}

/** Kills the command at each step (of those `chosen`), each on a new machine, and looks at what is left. */
async function killAtEveryStep(
  scene: Scene,
  makeArgs: (name: string) => Promise<string[]>,
  look: (trial: Trial) => Promise<void>,
  chosen: (killAt: number, steps: number) => boolean = () => true,
): Promise<void> {
  const names = await stepsOf(scene.anotherMachine(), await makeArgs('unharmed'));
  expect(names).toEqual(
    expect.arrayContaining(['fsyncSync', 'renameSync', 'send', 'sent', 'receive', 'exit']),
  );
  const steps = names.map((step, index) => ({ step, killAt: index + 1 }));
  await forEachConcurrently(
    steps.filter(({ killAt }) => chosen(killAt, steps.length)),
    async ({ step, killAt }) => {
      const name = `trial-${killAt}`;
      const when = `killed at step ${killAt} of ${names.length} (${step})`;
      const machine = scene.anotherMachine();
      const args = await makeArgs(name);
      const killed = await machine.run(args, { preload, env: { ...sameSteps, KILL_AT: String(killAt) } });
      expect(killed.signal, `${when}: ${killed.stderr}`).toBe('SIGKILL');
      await look({ machine, args, name, killAt, when });
    },
  );
}

/** Resumes everything, and reads the history, which must be whole. */
async function resumeAll({ machine, when }: Trial) {
  const folder = path.join(machine.stateDirectory, 'history', 'main');
  const history = openHistory({ folder, process });
  const left = await history.list();
  expect(left.problems, when).toEqual([]);
  if (left.records.length === 0) return { exitCode: 0, reports: [], records: [], stderr: '' };
  const { exitCode, stdout, stderr } = await machine.run(['resume', '--json']);
  const { records, problems } = await history.list();
  expect(problems, when).toEqual([]);
  return { exitCode, reports: JSON.parse(stdout), records, stderr };
}

const backupArgs = async (name: string) => ['backup', 'create', '--label', name, '--sections', 'store'];

test('backup create, killed at every step: resume makes the one backup, or nothing was ever sent', async () => {
  const scene = await setScene();
  await killAtEveryStep(scene, backupArgs, async (trial) => {
    const { exitCode, records, stderr } = await resumeAll(trial);
    expect(exitCode, trial.when + stderr).toBe(0);
    expect(
      records.map(({ state }) => state),
      trial.when,
    ).toEqual(records.length === 0 ? [] : ['applied']);
    const { backups } = await effectsOf(scene.service);
    expect(
      backups.filter(({ label }) => label === trial.name),
      trial.when,
    ).toHaveLength(records.length);
    const sent = scene.proxy.requests.filter(({ body }) => body.includes(`"${trial.name}"`));
    expect(new Set(sent.map(({ bytes }) => bytes)).size, trial.when).toBe(records.length);
  });
});

// The first half is a `backup create` like the one above.
test('backup restore with its safety backup, killed at every step: never two of either', async () => {
  const scene = await setScene();
  const made = new Map<string, string>();
  const makeArgs = async (name: string) => {
    const id = await perform(scene, createBackup, { label: name, sections: ['store'], idempotencyKey: name });
    made.set(name, id);
    return ['backup', 'restore', id, '--sections', 'store', '--confirm', id];
  };
  await killAtEveryStep(
    scene,
    makeArgs,
    async (trial) => {
      const { exitCode, records, stderr } = await resumeAll(trial);
      expect(exitCode, trial.when + stderr).toBe(0);
      expect(
        records.every(({ state }) => state === 'applied'),
        trial.when,
      ).toBe(true);
      const count = (operation: string) => records.filter((record) => record.operation === operation).length;
      const id = made.get(trial.name) ?? '';
      const { backups, restores } = await effectsOf(scene.service);
      const safety = backups.filter(({ label }) => label === `before restore of ${id}`).length;
      expect(safety, trial.when).toBe(count('backup.create'));
      expect(restores.filter((restored) => restored === id).length, trial.when).toBe(count('backup.restore'));
      expect(safety, trial.when).toBeGreaterThanOrEqual(count('backup.restore'));
    },
    (killAt, steps) => killAt > steps / 2 || killAt % 3 === 0,
  );
});

/** Of a one-shot operation: what resume may say, and the effect that goes with it. */
async function expectHonesty(trial: Trial, effects: () => Promise<number>): Promise<void> {
  const { exitCode, reports, records, stderr } = await resumeAll(trial);
  const effect = await effects();
  const when = `${trial.when}: ${JSON.stringify(reports)} ${stderr}`;
  const [record] = records;
  switch (record?.state) {
    case undefined:
      expect({ exitCode, effect }, when).toEqual({ exitCode: 0, effect: 0 });
      break;
    case 'applied':
      expect({ exitCode, effect }, when).toEqual({ exitCode: 0, effect: 1 });
      break;
    case 'not_sent':
      expect({ exitCode, effect }, when).toEqual({ exitCode: 9, effect: 0 });
      break;
    default:
      expect({ exitCode, state: record?.state }, when).toEqual({ exitCode: 10, state: 'unknown' });
  }
  // The user tries again: the effect is there once at most. Most steps are alike here, so every third will do.
  if (trial.killAt % 3 !== 0) return;
  const again = await trial.machine.run(trial.args);
  const mayBeThere = record?.state === 'applied' || record?.state === 'unknown';
  expect(again.exitCode, `${when} ${again.stderr}`).toBe(mayBeThere ? 6 : 0);
  expect(await effects(), when).toBe(mayBeThere ? effect : 1);
}

test('blog create, killed at every step: an honest unknown or never sent, never two posts', async () => {
  const scene = await setScene();
  await killAtEveryStep(
    scene,
    async (name) => ['blog', 'create', '--title', name, '--content-md', 'Text.'],
    (trial) =>
      expectHonesty(trial, async () => {
        const { posts } = await effectsOf(scene.service);
        return posts.filter(({ title }) => title === trial.name).length;
      }),
  );
});

test('disputes decide, killed at every step: settled by reading, never decided twice', async () => {
  const scene = await setScene();
  const makeArgs = async (name: string) => {
    const id = await perform(scene, openDispute, { kind: 'payment', reason: name, idempotencyKey: name });
    return ['disputes', 'decide', id, '--status', 'won', '--resolution', 'Delivered.', '--confirm', id];
  };
  await killAtEveryStep(scene, makeArgs, async (trial) => {
    const { exitCode, records, stderr } = await resumeAll(trial);
    const { decisions } = await effectsOf(scene.service);
    const effect = decisions.filter(({ disputeId }) => disputeId === trial.args[2]).length;
    const [record] = records;
    // A read can tell: applied if the change is there, unknown only while it may still arrive.
    const expected: Partial<Record<RecordState | 'none', object>> = {
      applied: { exitCode: 0, effect: 1 },
      not_sent: { exitCode: 9, effect: 0 },
      unknown: { exitCode: 10, effect: 0 },
      none: { exitCode: 0, effect: 0 },
    };
    expect({ exitCode, effect }, trial.when + stderr).toEqual(expected[record?.state ?? 'none']);
  });
});

test('disputes open, killed at every step: resume opens the one dispute, or nothing was ever sent', async () => {
  const scene = await setScene();
  await killAtEveryStep(
    scene,
    async (name) => ['disputes', 'open', '--reason', name],
    async (trial) => {
      const { exitCode, records } = await resumeAll(trial);
      const { disputes } = await effectsOf(scene.service);
      const effect = disputes.filter(({ reason }) => reason === trial.name).length;
      expect({ exitCode, effect }, trial.when).toEqual({ exitCode: 0, effect: records.length });
    },
  );
});

test('reclaim appeal, killed at every step: an honest unknown or never sent, never appealed twice', async () => {
  const scene = await setScene();
  const { storage, storeId } = scene.service;
  const makeArgs = async (name: string) => {
    const id = randomUUID();
    const notice = { id, subdomain: name, reason: 'A trade mark.', status: 'noticed' };
    const times = { appealText: null, appealedAt: null, createdAt: new Date().toISOString() };
    await storage.forStore(storeId).write((db) => insertReclaim({ db, storeId }, { ...notice, ...times }));
    return ['reclaim', 'appeal', id, '--text', name, '--confirm', id];
  };
  await killAtEveryStep(scene, makeArgs, (trial) =>
    expectHonesty(trial, async () => {
      const { reclaims } = await effectsOf(scene.service);
      return reclaims.filter(({ appealText }) => appealText === trial.name).length;
    }),
  );
});

test('notify add-endpoint, killed at every step: an honest unknown or never sent, never two endpoints', async () => {
  const scene = await setScene();
  let number = 4710;
  const makeArgs = async (name: string) => {
    number += 1;
    return [
      ...['notify', 'add-endpoint', '--name', name, '--events', 'feedback_digest'],
      ...['--url', `https://discord.com/api/webhooks/${number}/a-token`],
    ];
  };
  const { storage, storeId } = scene.service;
  await killAtEveryStep(scene, makeArgs, async (trial) => {
    await expectHonesty(trial, async () => {
      const { endpoints } = await effectsOf(scene.service);
      return endpoints.filter(({ name }) => name === trial.name).length;
    });
    // A store has so many endpoints and no more.
    await storage
      .forStore(storeId)
      .write((db) => db.deleteFrom('endpoints').where('name', '=', trial.name).execute());
  });
});

test('killed at random times, again and again, over one key: one backup', async () => {
  const { machine, service } = await setScene();
  const args = [...(await backupArgs('random')), '--idempotency-key', 'random-key', '-q'];
  const rounds = Array.from({ length: 20 }, (_, round) => round);
  let kills = 0;
  await forEachConcurrently(rounds, async () => {
    const running = machine.start(args);
    const timer = setTimeout(() => running.process.kill('SIGKILL'), 30 + Math.random() * 300);
    const { signal, exitCode } = await running.ended;
    clearTimeout(timer);
    if (signal === 'SIGKILL') kills += 1;
    else expect(exitCode).toBe(0);
  });
  expect(kills).toBeGreaterThan(0);
  expect(await machine.run(['resume'])).toMatchObject({ exitCode: 0 });
  const { backups } = await effectsOf(service);
  const last = await machine.run(args);
  expect(last).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^\S+\n$/) });
  const after = await effectsOf(service);
  expect(after.backups.map(({ id }) => id)).toEqual([last.stdout.trim()]);
  expect(backups.length).toBeLessThanOrEqual(1);
  const listed = await machine.run(['history', 'list', '--json']);
  expect(JSON.parse(listed.stdout)).toMatchObject([{ state: 'applied', idempotencyKey: 'random-key' }]);
  expect(listed.stderr).toBe('');
});
