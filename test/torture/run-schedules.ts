import path from 'node:path';
import { countDisturbances } from './disturbances.ts';
import { play } from './play.ts';
import { promises } from './promises/all.ts';
import { tellStory } from './promises/story.ts';
import { describeProgress, describeTrace, type Results } from './report.ts';
import { makeSchedule } from './schedule.ts';

interface Output {
  write(text: string): unknown;
}

/** Where the harness writes, and what ends it early: then it reports on the schedules that it has run. */
export interface Surroundings {
  readonly root: string;
  readonly output: Output;
  readonly progress: Output;
  readonly signal: AbortSignal;
}

export interface RunOptions {
  readonly schedules: number;
  readonly seed: number;
  readonly jobs: number;
  readonly withoutHistory: boolean;
  readonly trace: boolean;
  /** Folder of the built program. */
  readonly program: string;
  readonly fileSystemDefect: string | null;
  readonly forgetsRefusals: boolean;
  /** End after the first schedule that breaks a promise. */
  readonly untilBroken: boolean;
}

/** Another torture on this machine has other addresses, so that none takes the port of a service that does not listen for a while. */
function addressOf(slot: number): string {
  return `127.${64 + ((process.pid >> 8) & 127)}.${process.pid & 255}.${slot + 1}`;
}

/** Runs schedules, some at a time, and checks every promise against each. */
export async function runSchedules(
  options: RunOptions,
  folder: string,
  { root, progress, signal }: Surroundings,
): Promise<Results> {
  const results: Results = {
    schedules: 0,
    seconds: 0,
    disturbances: new Map(),
    ran: new Map(),
    broken: [],
  };
  const startedMs = performance.now();
  const { program, withoutHistory, fileSystemDefect, forgetsRefusals } = options;
  let next = 0;
  const isOver = () => signal.aborted || (options.untilBroken && results.broken.length > 0);

  async function runOne(seed: number, slot: number): Promise<void> {
    const trace = await play(makeSchedule(seed), {
      root,
      program,
      withoutHistory,
      fileSystemDefect,
      forgetsRefusals,
      folder: path.join(folder, String(seed)),
      address: addressOf(slot),
    });
    const story = tellStory(trace);
    results.schedules += 1;
    countDisturbances(trace, results.disturbances);
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

  const worker = async (_: unknown, slot: number) => {
    while (next < options.schedules && !isOver()) await runOne(options.seed + next++, slot);
  };
  await Promise.all(Array.from({ length: Math.min(options.jobs, options.schedules) }, worker));
  results.seconds = (performance.now() - startedMs) / 1000;
  return results;
}
