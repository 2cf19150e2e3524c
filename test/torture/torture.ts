import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createMachine, noMishaps } from './client/machine.ts';
import { type Options, parseOptions, UsageError, usage } from './options.ts';
import { type PlayOptions, play } from './play.ts';
import { promises } from './promises/all.ts';
import { tellStory } from './promises/story.ts';
import { describeProgress, describeTrace, type Results, summarize, toTable } from './report.ts';
import { makeSchedule } from './schedule.ts';

interface Output {
  write(text: string): unknown;
}

/** Schedules of the self-check. */
const blindSchedules = 40;

/** Where the harness writes, and what ends it early: then it reports on the schedules that it has run. */
interface Surroundings {
  readonly root: string;
  readonly output: Output;
  readonly progress: Output;
  readonly signal: AbortSignal;
}

/** Runs what the arguments ask for. Returns the exit code: 0 where every promise was kept. */
export async function main(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { output } = surroundings;
  let options: Options;
  try {
    options = parseOptions(args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    output.write(`${error.message}\n\n${usage}\n`);
    return 2;
  }
  if (options.help) {
    output.write(`${usage}\n`);
    return 0;
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'storectl-torture-'));
  try {
    const results = await runAll(options, folder, surroundings);
    const summary = summarize(results);
    output.write(options.json ? `${JSON.stringify(summary, null, 2)}\n` : toTable(summary));
    const isBlind = options.quick && !(await findsDuplicates(options, folder, surroundings));
    return summary.broken > 0 || isBlind ? 1 : 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A client that forgets its history applies things twice: a harness that does not notice sees nothing. */
async function findsDuplicates(
  options: Options,
  folder: string,
  surroundings: Surroundings,
): Promise<boolean> {
  const blind = { ...options, withoutHistory: true, schedules: blindSchedules, trace: false };
  const results = await runAll(blind, folder, surroundings);
  const duplicates = results.broken.filter(({ promise }) => promise === 'applied-once').length;
  if (!options.json) {
    surroundings.output.write(
      `Self-check: ${duplicates} of ${blindSchedules} schedules without history made duplicates.\n`,
    );
  }
  return duplicates > 0;
}

async function runAll(
  options: Options,
  folder: string,
  { root, progress, signal }: Surroundings,
): Promise<Results> {
  const results: Results = { schedules: 0, seconds: 0, ran: new Map(), broken: [] };
  const startedMs = performance.now();
  const canRepair = await knowsRepair(root, folder);
  let next = 0;
  const worker = async (_: unknown, slot: number) => {
    while (next < options.schedules && !signal.aborted) {
      const seed = options.seed + next++;
      await runOne(seed, {
        root,
        folder: path.join(folder, String(seed)),
        address: `127.77.${slot >> 8}.${(slot & 255) + 1}`,
        withoutHistory: options.withoutHistory,
      });
    }
  };

  async function runOne(seed: number, where: PlayOptions): Promise<void> {
    const trace = await play(makeSchedule(seed, canRepair), where);
    const story = tellStory(trace);
    results.schedules += 1;
    let isBroken = false;
    for (const { id, check } of promises) {
      const violations = check(story);
      if (violations === null) continue;
      results.ran.set(id, (results.ran.get(id) ?? 0) + 1);
      if (violations.length === 0) continue;
      isBroken = true;
      results.broken.push({ promise: id, seed, operation: trace.schedule.operation, violations });
    }
    if (results.schedules % 100 === 0) progress.write(describeProgress(results, options));
    if (options.trace && (isBroken || options.schedules === 1)) progress.write(describeTrace(story));
  }

  await Promise.all(Array.from({ length: Math.min(options.jobs, options.schedules) }, worker));
  results.seconds = (performance.now() - startedMs) / 1000;
  return results;
}

/** Whether the program has `history repair`. */
async function knowsRepair(root: string, folder: string): Promise<boolean> {
  const machine = createMachine({
    root,
    folder: path.join(folder, 'help'),
    url: 'http://127.0.0.1:1',
    env: {},
    withoutHistory: false,
  });
  const { exitCode, stdout, stderr } = await machine.start(['history', '--help'], noMishaps, 60_000).result;
  // A program that does nothing breaks no promise.
  if (exitCode !== 0) throw new Error(`storectl does not run: ${stderr}`);
  return /^ +repair /m.test(stdout);
}
