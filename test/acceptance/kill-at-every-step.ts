import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { RecordSummary } from '../../src/cli/output/record-summary.ts';
import { openClient } from '../../src/client/client.ts';
import type { Operation } from '../../src/contract/operation.ts';
import type { ProgramMachine } from '../helpers/program.ts';
import type { ProgramScene } from '../helpers/scene.ts';

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
export async function perform(
  { service }: ProgramScene,
  operation: Operation,
  body: object,
): Promise<string> {
  const client = openClient({
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

export interface Trial {
  readonly machine: ProgramMachine;
  readonly args: readonly string[];
  /** Unlike the name of every other trial. */
  readonly name: string;
  readonly killAt: number;
  /** For messages: `killed at step 12 of 60 (renameSync)`. */
  readonly when: string;
}

/** Kills the command at each step (of those `chosen`), each on a new machine, and looks at what is left. */
export async function killAtEveryStep(
  scene: ProgramScene,
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
export async function resumeAll({ machine, when }: Trial) {
  const list = async (): Promise<RecordSummary[]> => {
    const { stdout, stderr } = await machine.run(['history', 'list', '--json']);
    expect(stderr, when).toBe('');
    return JSON.parse(stdout);
  };
  if ((await list()).length === 0) return { exitCode: 0, reports: [], records: [], stderr: '' };
  const { exitCode, stdout, stderr } = await machine.run(['resume', '--json']);
  return { exitCode, reports: JSON.parse(stdout), records: await list(), stderr };
}

/** Of a one-shot operation: what resume may say, and the effect that goes with it. */
export async function expectHonesty(trial: Trial, effects: () => Promise<number>): Promise<void> {
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
  const refused = record?.state === 'unknown' ? 10 : 6;
  expect(again.exitCode, `${when} ${again.stderr}`).toBe(mayBeThere ? refused : 0);
  expect(await effects(), when).toBe(mayBeThere ? effect : 1);
}
