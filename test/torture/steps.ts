import type { PowerCut } from './client/disk.ts';
import {
  type Identity,
  type Mishaps,
  noMishaps,
  plainIdentity,
  type Stop,
  type System,
} from './client/machine.ts';
import type { OperationModel } from './operations.ts';
import type { Random } from './random.ts';
import { chooseOtherUser } from './service/faults.ts';
import type { OtherUser } from './service/model.ts';
import type { Moment } from './service/model-server.ts';

/** Kills the client when the server has come to this moment of a write, counted from 1 over the whole schedule. */
export interface KillAtMoment {
  readonly moment: Moment;
  readonly write: number;
  readonly afterMs: number;
}

/** Whether the service listens: always, not at all during the step, or only after a number of milliseconds. */
export type Listening = 'always' | 'never' | { readonly fromMs: number };

/**
 * What the user types. `same` is the first command again; `resume-newest` names the newest open change, `undo` the newest
 * that can be undone; `store-update` is another change of this machine, of what a restore replaces; `raw` is the same request by
 * `api`, its path in another spelling; `list` lists what the operation makes.
 */
export type Typed =
  | 'same'
  | 'fresh'
  | 'other-subject'
  | 'key-with-other-arguments'
  | 'resume'
  | 'resume-newest'
  | 'undo'
  | 'store-update'
  | 'raw'
  | 'list';

/** What the user runs it with. */
export type Tool = 'command' | 'library' | 'mcp';

interface Circumstances {
  readonly mishaps: Mishaps;
  readonly kill: KillAtMoment | null;
  readonly listening: Listening;
  readonly identity: Identity;
  readonly tool: Tool;
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
  /** The command is stopped, another one runs meanwhile to its end, and the first is woken. */
  | {
      readonly do: 'stopped';
      readonly stop: Stop;
      readonly system: System;
      readonly meanwhile: Typed;
    }
  /** One log of the history goes bad: a bit, its end (within a line, or whole lines), or all of it. `at` in [0, 1). */
  | {
      readonly do: 'damage';
      readonly how: 'flip' | 'cut' | 'cut-lines' | 'empty';
      readonly file: number;
      readonly at: number;
      readonly bit: number;
    }
  | { readonly do: 'repair' }
  /** The user looks at the store, and says of what is in doubt whether it is there. */
  | { readonly do: 'mark' }
  /** Another user of the store changes it. */
  | { readonly do: 'other-user'; readonly how: OtherUser }
  /** While nothing runs. */
  | { readonly do: 'power-cut'; readonly cut: PowerCut };

export const hourMs = 3_600_000;
export const yearMs = 365 * 24 * hourMs;
/** How far clocks are off, or jump. */
export const clockSteps = [-yearMs, -4 * hourMs, -hourMs, hourMs, 25 * hourMs, yearMs, 3 * yearMs];

/** By how much a clock that was fast is put right in the middle of a run. */
export const stepsBack = [-2_000, -30_000, -2 * hourMs];

export interface Choices {
  readonly random: Random;
  readonly model: OperationModel;
  readonly key: 'made' | 'given' | 'ci';
  readonly isBatch: boolean;
  /** A restore is given without `--no-safety-backup`. */
  readonly safetyBackup: boolean;
}

export function calm(typed: Typed, identity: Identity = plainIdentity): Extract<Step, { do: 'run' }> {
  return {
    do: 'run',
    typed,
    mishaps: noMishaps,
    kill: null,
    listening: 'always',
    identity,
    tool: 'command',
  };
}

export function run(choices: Choices, typed: Typed): Step {
  const { random } = choices;
  const steps = () => random.integer(1, 60);
  const tool = chooseTool(choices, typed);
  return {
    do: 'run',
    typed,
    mishaps: {
      offsetMs: random.chance(0.12) ? random.pick(clockSteps) : 0,
      killAt: random.chance(0.2) ? steps() : 0,
      fullAt: random.chance(0.08) ? steps() : 0,
      jumpAt: random.chance(0.12) ? steps() : 0,
      jumpMs: random.pick([...clockSteps, ...stepsBack]),
      stop: null,
      system: 'linux',
      stdoutFull: tool === 'command' && random.chance(0.06),
      outputFull: tool === 'command' && !isAboutEarlier(typed) && random.chance(0.04),
      powerCut: random.chance(0.6) ? powerCut(random) : null,
    },
    kill: random.chance(0.15) ? killAtMoment(random) : null,
    listening: random.weighted<Listening>([
      [90, 'always'],
      [4, 'never'],
      [6, { fromMs: random.integer(200, 1200) }],
    ]),
    identity: {
      place: 'own',
      spelling: random.weighted([
        [8, 'plain'],
        [1, 'slash'],
        [1, 'upper-case'],
      ]),
      key: random.chance(0.15) ? 1 : 0,
      profile: random.chance(0.15) ? 'other' : 'main',
    },
    tool,
  };
}

/** A command about what was begun before. */
export function isAboutEarlier(typed: string): boolean {
  return ['resume', 'resume-newest', 'undo', 'repair', 'mark'].includes(typed);
}

function chooseTool({ random, model, key, isBatch }: Choices, typed: Typed): Tool {
  const chosen = random.weighted<Tool>([
    [8, 'command'],
    [1, 'library'],
    [1, 'mcp'],
  ]);
  if (isBatch || key === 'ci') return 'command';
  const isResume = typed === 'resume';
  const can = { command: true, library: isResume || model.method !== null, mcp: true }[chosen];
  return (typed === 'same' || (isResume && chosen === 'library')) && can ? chosen : 'command';
}

export function powerCut(random: Random): PowerCut {
  return {
    bytes: random.pick(['dropped', 'dropped', 'half', 'zeroed']),
    names: random.pick([0, 0, 1, random.next()]),
  };
}

export function pair({ random, model }: Choices): Step {
  return {
    do: 'pair',
    second: model.class === 'read' || random.chance(0.7) ? 'same' : 'resume',
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

type Damage = Extract<Step, { do: 'damage' }>;

export function damageStep(random: Random, how: Damage['how']): Damage {
  // Outcomes stand at the end, and a log without them looks like that of a killed process.
  const at = random.chance(how === 'cut-lines' ? 0.2 : 0.5) ? random.next() : 0.7 + 0.3 * random.next();
  return { do: 'damage', how, file: random.next(), at, bit: random.integer(0, 7) };
}

/** The same commands for the other service of this host. */
export function elsewhere({ random }: Choices): Step[] {
  const identity: Identity = { ...plainIdentity, place: 'other', profile: random.pick(['main', 'other']) };
  const steps = [calm('resume', identity), calm('same', identity)];
  return random.chance(0.5) ? steps : [calm('same', identity)];
}

export function otherUser(random: Random): Step {
  return { do: 'other-user', how: chooseOtherUser(random) };
}

/** What a restore replaces changes before it is given again, by this machine or by another user. */
export function changeBetween(choices: Choices): Step[] {
  const { random } = choices;
  const change: Step = random.chance(0.5) ? otherUser(random) : calm('store-update');
  return [change, run(choices, random.pick(['same', 'resume', 'resume-newest', 'resume-newest']))];
}
