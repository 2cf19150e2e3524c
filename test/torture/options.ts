import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

export const usage = `Runs the built program through random schedules of faults, and checks what it promises.

  npm run torture -- [options]

  --schedules N      how many (default 500)
  --seed S           seed of the first one (default 1); the next has S + 1
  --jobs N           how many at a time: most of their time they wait (default 8 for each processor, at most 250)
  --quick            150 schedules, and the self-check that a client without history is found out
  --defects          plants each defect of defects.ts in the built program, and expects that it is found
  --defect NAME      the same for one of them
  --without-history  each client finds an empty history: duplicates must be found
  --trace            on standard error: everything that happened in each schedule that broke a promise

Ctrl-C ends it early: it then reports on the schedules that it has run. Progress goes to standard error.

STORECTL_TEST_PROGRAM names the folder of another build to try instead of this one.

To look at one that broke a promise: npm run torture -- --schedules 1 --seed S --trace`;

export interface Options {
  readonly schedules: number;
  readonly seed: number;
  readonly jobs: number;
  readonly quick: boolean;
  readonly withoutHistory: boolean;
  readonly defects: boolean;
  readonly defect: string | null;
  readonly trace: boolean;
  readonly help: boolean;
}

/** The options cannot be used as they are written. */
export class UsageError extends Error {}

const quickSchedules = 150;
/** Each has an address of its own. */
const maxJobs = 250;

/** Throws a {@link UsageError}. */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parse(args);
  const number = (name: 'schedules' | 'seed' | 'jobs', otherwise: number): number => {
    const value = values[name] === undefined ? otherwise : Number(values[name]);
    if (!Number.isInteger(value) || value < 1)
      throw new UsageError(`--${name} must be a whole number, at least 1`);
    return value;
  };
  return {
    schedules: number('schedules', values.quick ? quickSchedules : 500),
    seed: number('seed', 1),
    jobs: Math.min(number('jobs', 8 * availableParallelism()), maxJobs),
    quick: values.quick,
    withoutHistory: values['without-history'],
    defects: values.defects || values.defect !== undefined,
    defect: values.defect ?? null,
    trace: values.trace,
    help: values.help,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        schedules: { type: 'string' },
        seed: { type: 'string' },
        jobs: { type: 'string' },
        quick: { type: 'boolean', default: false },
        'without-history': { type: 'boolean', default: false },
        defects: { type: 'boolean', default: false },
        defect: { type: 'string' },
        trace: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false, short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
