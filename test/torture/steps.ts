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

const hourMs = 3_600_000;
const yearMs = 365 * 24 * hourMs;
/** How far clocks are off, or jump. */
const clockSteps = [-yearMs, -4 * hourMs, -hourMs, hourMs, 25 * hourMs, yearMs, 3 * yearMs];

/** By how much a clock that was fast is put right in the middle of a run. */
const stepsBack = [-2_000, -30_000, -2 * hourMs];

export function chooseSteps(choices: Choices): Step[] {
  const { random, model } = choices;
  const steps = chooseCourse(choices);
  if (model.list === undefined || !random.chance(0.6)) return steps;
  // What this machine remembers is seldom all.
  const look: Step[] = [...(random.chance(0.5) ? [otherUser(random)] : []), calm('list')];
  return steps.length === 1 ? [...steps, ...look] : [...steps.slice(0, -1), ...look, ...steps.slice(-1)];
}

function chooseCourse(choices: Choices): Step[] {
  const { random, model, key } = choices;
  if (mayBeStopped(choices) && random.chance(0.36)) return stopped(choices);
  if (isRaw(choices) && random.chance(0.5)) return rawBeside(choices);
  if (isResent(model) && random.chance(0.1)) return oldDoubt(choices);
  if (model.class === 'repeatable' && random.chance(0.6)) return superseding(choices);
  if (model.class === 'one-shot' && !model.readsFirst && random.chance(0.4)) return repairedInDoubt(choices);
  if (model.id === 'backup.restore' && random.chance(0.5)) return resumedRestore(choices);
  if (model.class !== 'read' && random.chance(0.12)) return [calm('same'), ...damaged(choices)];
  const steps: Step[] = [random.chance(0.12) ? pair(choices) : run(choices, 'same')];
  if (model.class === 'read') return steps;
  const canUndo = ['store.update', 'settings.save', 'backup.restore'].includes(model.id);
  for (let more = random.integer(1, 3); more > 0; more -= 1) {
    steps.push(
      ...random.weighted<() => Step[]>([
        [40, () => [run(choices, 'same')]],
        [22, () => [run(choices, 'resume')]],
        [10, () => [run(choices, 'resume-newest')]],
        [5, () => [pair(choices)]],
        [16, () => damaged(choices)],
        [6, () => [{ do: 'mark' }, run(choices, 'same')]],
        [5, () => [{ do: 'power-cut', cut: powerCut(random) }]],
        [14, () => elsewhere(choices)],
        [8, () => [otherUser(random), run(choices, 'same')]],
        [model.freshFlag === null ? 0 : 5, () => [run(choices, 'fresh')]],
        [key === 'given' ? 8 : 0, () => [run(choices, 'key-with-other-arguments')]],
        [model.class === 'repeatable' ? 15 : 0, () => [run(choices, 'other-subject')]],
        [canUndo ? 8 : 0, () => [run(choices, 'undo')]],
        [model.id === 'backup.restore' ? 15 : 0, () => changeBetween(choices)],
      ])(),
    );
  }
  // At the end nothing disturbs: what was left undone or done twice shows.
  if (random.chance(0.6)) steps.push(calm(random.chance(0.5) ? 'same' : 'resume'));
  return steps;
}

export interface Choices {
  readonly random: Random;
  readonly model: OperationModel;
  readonly key: 'made' | 'given' | 'ci';
  readonly isBatch: boolean;
  /** A restore is given without `--no-safety-backup`. */
  readonly safetyBackup: boolean;
}

function calm(typed: Typed, identity: Identity = plainIdentity): Extract<Step, { do: 'run' }> {
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

function run(choices: Choices, typed: Typed): Step {
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

/** A client of this machine is stopped anywhere with its locks. */
function stopHere({ random }: Choices): Stop {
  return { after: 'lock', steps: random.integer(1, 55) };
}

/**
 * One of another host loses its locks. What comes of it is seen before its record is in place, when a second one would be sent as
 * well, and around a safety backup.
 */
function stopElsewhere({ random, model }: Choices): Stop {
  const isRestore = model.id === 'backup.restore';
  return random.weighted<() => Stop>([
    [3, () => ({ after: 'lock', steps: random.integer(1, 14) })],
    [isRestore ? 3 : 1, () => ({ after: 'record', steps: random.integer(1, 8) })],
    [isRestore ? 6 : 0, () => ({ after: 'response', steps: random.integer(1, 4) })],
  ])();
}

/** Nothing would be seen of a lost lock: of a backup, one more is what was asked for. */
const notStopped: readonly string[] = ['backup.create', 'notify.mark-read'];

function mayBeStopped({ model, isBatch }: Choices): boolean {
  return !isBatch && model.class !== 'read' && !notStopped.includes(model.id);
}

/** What is stopped with its locks, and what is done meanwhile by somebody who wants the same place. */
function stopped(choices: Choices): Step[] {
  const { random, model } = choices;
  const isOrdered = model.id === 'store.update' || model.id === 'settings.save';
  const meanwhile =
    model.id === 'backup.restore' ? 'store-update' : isOrdered ? 'other-subject' : ('same' as const);
  // What reads the dispute first is not sent again, and of one that is opened twice, a second was asked for.
  const isSeen = model.id !== 'disputes.decide' && model.id !== 'disputes.open';
  const system = random.weighted<System>([
    [1, 'linux'],
    [2, 'no-start-times'],
    [isSeen ? 4 : 0, 'other-host'],
  ]);
  const stop = system === 'other-host' ? stopElsewhere(choices) : stopHere(choices);
  const step: Step = { do: 'stopped', stop, system, meanwhile };
  return random.chance(0.5) ? [step] : [step, calm('resume')];
}

/** Raw requests are for what must not be sent twice. */
function isRaw({ model, isBatch }: Choices): boolean {
  return model.class === 'one-shot' && !isBatch;
}

/** The named command and raw requests for the same, in any order. */
function rawBeside(choices: Choices): Step[] {
  const { random } = choices;
  const first = random.pick(['same', 'raw'] as const);
  const kill = { moment: random.pick(['received', 'applied', 'answered'] as const), write: 1, afterMs: 0 };
  return [
    random.chance(0.5) ? { ...calm(first), kill } : run(choices, first),
    calm('raw'),
    calm(random.pick(['same', 'raw', 'resume'] as const)),
  ];
}

/** What `resume` sends again by itself. */
const isResent = ({ class: how }: OperationModel) => how === 'keyed' || how === 'repeatable';

/** A change is left in doubt, and resumed after the time in which it is sent again. */
function oldDoubt(choices: Choices): Step[] {
  const { random } = choices;
  const kill = { moment: random.pick(['received', 'applied', 'answered'] as const), write: 1, afterMs: 0 };
  const later = { ...noMishaps, offsetMs: random.pick([25 * hourMs, 30 * 24 * hourMs, yearMs]) };
  return [
    { ...calm('same'), kill },
    { ...calm(random.pick(['resume', 'resume-newest'] as const)), mishaps: later },
  ];
}

/** A change is interrupted, a later one of the same fields is acknowledged under another clock, and the first is resumed. */
function superseding(choices: Choices): Step[] {
  const { random } = choices;
  const kill = { moment: random.pick(['received', 'applied', 'answered'] as const), write: 1, afterMs: 0 };
  const later = { ...noMishaps, offsetMs: random.pick([0, -hourMs, -4 * hourMs, -yearMs, yearMs]) };
  return [
    { ...calm('same'), kill },
    { ...calm('other-subject'), mishaps: later },
    run(choices, random.pick(['resume', 'resume-newest'])),
    calm('resume'),
  ];
}

/** A restore, or the safety backup before it, is interrupted, and resumed with all others, over changes since or not. */
function resumedRestore(choices: Choices): Step[] {
  const { random, safetyBackup } = choices;
  const moment = random.pick(['received', 'applied', 'answered'] as const);
  const write = safetyBackup ? random.pick([1, 2, 2]) : 1;
  return [
    { ...calm('same'), kill: { moment, write, afterMs: 0 } },
    ...(random.chance(0.3) ? changeBetween(choices) : []),
    run(choices, 'resume'),
    calm(random.pick(['resume', 'same'])),
  ];
}

/** What a killed client has sent is in a log that goes bad, is repaired, and is sent again if the repair forgets the doubt. */
function repairedInDoubt(choices: Choices): Step[] {
  const { random } = choices;
  const kill = { moment: random.pick(['received', 'applied', 'answered'] as const), write: 1, afterMs: 0 };
  return [
    { ...calm('same'), kill },
    damageStep(random),
    { do: 'repair' },
    run(choices, 'same'),
    calm('same'),
  ];
}

function powerCut(random: Random): PowerCut {
  return {
    bytes: random.pick(['dropped', 'dropped', 'half', 'zeroed']),
    names: random.pick([0, 0, 1, random.next()]),
  };
}

function pair({ random, model }: Choices): Step {
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

function damageStep(random: Random): Step {
  return {
    do: 'damage',
    how: random.weighted([
      [3, 'flip'],
      [1, 'cut'],
      [4, 'cut-lines'],
      [1, 'empty'],
    ]),
    file: random.next(),
    at: random.next(),
    bit: random.integer(0, 7),
  };
}

function damaged({ random }: Choices): Step[] {
  const steps: Step[] = [damageStep(random), calm(random.chance(0.6) ? 'same' : 'resume')];
  return random.chance(0.6) ? [...steps, { do: 'repair' }, calm('same')] : steps;
}

/** The same commands for the other service of this host. */
function elsewhere({ random }: Choices): Step[] {
  const identity: Identity = { ...plainIdentity, place: 'other', profile: random.pick(['main', 'other']) };
  const steps = [calm('resume', identity), calm('same', identity)];
  return random.chance(0.5) ? steps : [calm('same', identity)];
}

function otherUser(random: Random): Step {
  return { do: 'other-user', how: chooseOtherUser(random) };
}

/** What a restore replaces changes before it is given again, by this machine or by another user. */
function changeBetween(choices: Choices): Step[] {
  const { random } = choices;
  const change: Step = random.chance(0.5) ? otherUser(random) : calm('store-update');
  return [change, run(choices, random.pick(['same', 'resume', 'resume-newest', 'resume-newest']))];
}
