import { type Mishaps, noMishaps } from './client/machine.ts';
import { type OperationId, type OperationModel, operationIds, operations } from './operations.ts';
import { createRandom, type Random } from './random.ts';
import { chooseReadFault, chooseWriteFault, type Fault } from './service/faults.ts';
import type { Moment } from './service/model-server.ts';

/** Kills the client when the server has come to this moment of a write, counted from 1 over the whole schedule. */
export interface KillAtMoment {
  readonly moment: Moment;
  readonly write: number;
  readonly afterMs: number;
}

/** Whether the service listens: always, not at all during the step, or only after a number of milliseconds. */
export type Listening = 'always' | 'never' | { readonly fromMs: number };

/** What the user types. `same` is the first command again. */
export type Typed = 'same' | 'fresh' | 'other-subject' | 'key-with-other-arguments' | 'resume';

interface Circumstances {
  readonly mishaps: Mishaps;
  readonly kill: KillAtMoment | null;
  readonly listening: Listening;
}

export type Step =
  | ({ readonly do: 'run'; readonly typed: Typed } & Circumstances)
  /** The same command, and a little later the same or `resume` while the first still runs. */
  | {
      readonly do: 'pair';
      readonly second: 'same' | 'resume';
      readonly gapMs: number;
      readonly kill: KillAtMoment | null;
    }
  /** One file of the history goes bad. `file` and `at` in [0, 1). */
  | {
      readonly do: 'damage';
      readonly how: 'flip' | 'cut' | 'empty';
      readonly file: number;
      readonly at: number;
      readonly bit: number;
    }
  | { readonly do: 'repair' }
  /** The user looks at the store, and says of what is in doubt whether it is there. */
  | { readonly do: 'mark' };

/** Everything that happens, as data: the same seed gives the same schedule. */
export interface Schedule {
  readonly seed: number;
  readonly operation: OperationId;
  /** What the command is about; several in a batch. */
  readonly subjects: readonly string[];
  /** For a command with the same operation about something else. */
  readonly otherSubject: string;
  readonly key: 'made' | 'given' | 'ci';
  readonly safetyBackup: boolean;
  readonly timeoutMs: number;
  readonly writeFaults: readonly Fault[];
  readonly readFaults: readonly Fault[];
  readonly steps: readonly Step[];
}

export function makeSchedule(seed: number, canRepair: boolean): Schedule {
  const random = createRandom(seed);
  // Writes are what most can go wrong with.
  const operation = random.weighted(operationIds.map((id) => [operations[id].class === 'read' ? 1 : 4, id]));
  const model: OperationModel = operations[operation];
  const decides = operation === 'disputes.decide';
  const isBatch = (decides || operation === 'blog.create') && random.chance(0.5);
  const count = isBatch ? random.integer(3, 6) : 1;
  const key = model.class === 'keyed' ? random.pick(['made', 'made', 'given', 'ci'] as const) : 'made';
  const writeFault = () => chooseWriteFault(random, model);
  const readFault = () => chooseReadFault(random, model);
  return {
    seed,
    operation,
    subjects: Array.from({ length: count }, (_, index) => `s${seed}-${index + 1}`),
    otherSubject: `s${seed}-other`,
    key,
    safetyBackup: random.chance(0.6),
    timeoutMs: random.weighted([
      [3, random.integer(3, 6) * 1000],
      [1, 15_000],
    ]),
    writeFaults: Array.from({ length: random.integer(0, 4) }, writeFault),
    readFaults:
      model.readsFirst && random.chance(0.4) ? Array.from({ length: random.integer(1, 3) }, readFault) : [],
    steps: chooseSteps(random, model, key, canRepair),
  };
}

function chooseSteps(
  random: Random,
  model: OperationModel,
  key: Schedule['key'],
  canRepair: boolean,
): Step[] {
  const steps: Step[] = [random.chance(0.15) ? pair(random, model) : run(random, 'same')];
  if (model.class === 'read') return steps;
  for (let more = random.integer(1, 3); more > 0; more -= 1) {
    steps.push(
      ...random.weighted<() => Step[]>([
        [40, () => [run(random, 'same')]],
        [30, () => [run(random, 'resume')]],
        [5, () => [pair(random, model)]],
        [10, () => damaged(random, canRepair)],
        [6, () => [{ do: 'mark' }, run(random, 'same')]],
        [model.freshFlag === null ? 0 : 5, () => [run(random, 'fresh')]],
        [key === 'given' ? 8 : 0, () => [run(random, 'key-with-other-arguments')]],
        [model.class === 'repeatable' ? 15 : 0, () => [run(random, 'other-subject')]],
      ])(),
    );
  }
  // At the end nothing disturbs: what was left undone or done twice shows.
  if (random.chance(0.6)) steps.push(calm(random.chance(0.5) ? 'same' : 'resume'));
  return steps;
}

function calm(typed: Typed): Step {
  return { do: 'run', typed, mishaps: noMishaps, kill: null, listening: 'always' };
}

function run(random: Random, typed: Typed): Step {
  const steps = () => random.integer(1, 60);
  return {
    do: 'run',
    typed,
    mishaps: {
      offsetMs: random.chance(0.08) ? random.pick([-hourMs, hourMs]) : 0,
      killAt: random.chance(0.2) ? steps() : 0,
      fullAt: random.chance(0.08) ? steps() : 0,
      jumpAt: random.chance(0.1) ? steps() : 0,
      jumpMs: random.pick([-hourMs, hourMs]),
      stdoutFull: random.chance(0.06),
      outputFull: typed !== 'resume' && random.chance(0.04),
    },
    kill: random.chance(0.15) ? killAtMoment(random) : null,
    listening: random.weighted<Listening>([
      [90, 'always'],
      [4, 'never'],
      [6, { fromMs: random.integer(200, 1200) }],
    ]),
  };
}

const hourMs = 3_600_000;

function pair(random: Random, { class: operationClass }: OperationModel): Step {
  return {
    do: 'pair',
    second: operationClass === 'read' || random.chance(0.7) ? 'same' : 'resume',
    gapMs: random.chance(0.5) ? 0 : random.integer(1, 400),
    kill: random.chance(0.2) ? killAtMoment(random) : null,
  };
}

function killAtMoment(random: Random): KillAtMoment {
  return {
    moment: random.pick(['received', 'applied', 'answered']),
    write: random.weighted([
      [5, 1],
      [2, 2],
      [1, 3],
    ]),
    afterMs: random.chance(0.5) ? 0 : random.integer(1, 40),
  };
}

function damaged(random: Random, canRepair: boolean): Step[] {
  const damage: Step = {
    do: 'damage',
    how: random.weighted([
      [3, 'flip'],
      [1, 'cut'],
      [1, 'empty'],
    ]),
    file: random.next(),
    at: random.next(),
    bit: random.integer(0, 7),
  };
  const steps: Step[] = [damage, calm(random.chance(0.6) ? 'same' : 'resume')];
  // Drawn in any case, so that a seed means the same to every version of the program.
  const isRepaired = random.chance(0.5) && canRepair;
  return isRepaired ? [...steps, { do: 'repair' }, calm('same')] : steps;
}
