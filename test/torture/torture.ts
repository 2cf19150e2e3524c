import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { copyProgram, defects, plantDefect } from './defects.ts';
import { type Options, parseOptions, UsageError, usage } from './options.ts';
import { summarize, toTable } from './report.ts';
import { type RunOptions, runSchedules, type Surroundings } from './run-schedules.ts';

/** Schedules of the self-check. */
const blindSchedules = 40;
/** A planted defect has to be found within so many. */
const defectSchedules = 100;

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
  const program = copyProgram(process.env.STORECTL_TEST_PROGRAM ?? surroundings.root, `run-${process.pid}`);
  const common = { ...options, program, fileSystemDefect: null, forgetsRefusals: false, untilBroken: false };
  try {
    if (options.defects) return (await findsDefects(common, options, folder, surroundings)) ? 0 : 1;
    const summary = summarize(await runSchedules(common, folder, surroundings), options.seed);
    output.write(toTable(summary));
    const isBlind = options.quick && !(await findsDuplicates(common, folder, surroundings));
    return summary.broken > 0 || isBlind ? 1 : 0;
  } finally {
    for (const made of [folder, program]) rmSync(made, { recursive: true, force: true });
  }
}

/** A client that forgets its history applies things twice: a harness that does not notice sees nothing. */
async function findsDuplicates(
  common: RunOptions,
  folder: string,
  surroundings: Surroundings,
): Promise<boolean> {
  const blind = { ...common, withoutHistory: true, schedules: blindSchedules, trace: false };
  const results = await runSchedules(blind, folder, surroundings);
  const duplicates = results.broken.filter(({ promise }) => promise === 'applied-once').length;
  surroundings.output.write(
    `Self-check: ${duplicates} of ${blindSchedules} schedules without history made duplicates.\n`,
  );
  return duplicates > 0;
}

/** Whether each defect, planted by itself, breaks a promise. */
async function findsDefects(
  common: RunOptions,
  { defect: wanted, seed }: Options,
  folder: string,
  surroundings: Surroundings,
): Promise<boolean> {
  let missed = 0;
  for (const defect of defects.filter(({ name }) => wanted === null || name === wanted)) {
    const planted = plantDefect(defect, surroundings.root);
    const results = await runSchedules(
      { ...common, ...planted, schedules: defectSchedules, untilBroken: true, trace: false },
      folder,
      surroundings,
    );
    const [first] = results.broken;
    const found =
      first === undefined
        ? `not found in ${results.schedules} schedules`
        : `found in ${results.schedules}: ${first.promise}, seed ${first.seed} (${first.violations[0]})`;
    surroundings.output.write(`${defect.name}: ${found}\n`);
    if (first === undefined) missed += 1;
    if (surroundings.signal.aborted) break;
  }
  surroundings.output.write(`${missed} planted defects were not found, from seed ${seed}.\n`);
  return missed === 0;
}
