import { noMishaps, type Stop, type System } from './client/machine.ts';
import type { OperationModel } from './operations.ts';
import type { Random } from './random.ts';
import {
  chooseContradiction,
  chooseLongWait,
  chooseOverwritten,
  chooseRefusedLater,
  chooseRetried,
  type Fault,
  namesWhatWasAsked,
  noFault,
  type ServiceKind,
} from './service/faults.ts';
import {
  type Choices,
  calm,
  changeBetween,
  clockSteps,
  damageStep,
  elsewhere,
  hourMs,
  otherUser,
  pair,
  powerCut,
  run,
  type Step,
  stepsBack,
  yearMs,
} from './steps.ts';

/** What happens in a schedule. Faults and deadline are random where they are left out. */
interface Course {
  readonly steps: readonly Step[];
  readonly writeFaults?: readonly Fault[];
  readonly timeoutMs?: number;
}

/** Courses that bring about the same kind of trouble. */
export interface CourseKind {
  readonly weight: number;
  /** How often an operation is chosen for it: 0 where nothing would come of it. */
  weightOf(model: OperationModel): number;
  /** It may be about several subjects. */
  readonly allowsBatch: boolean;
  /** The only service of which something would be seen; any where it is left out. */
  readonly service?: ServiceKind;
  make(choices: Choices): Course;
}

const isWrite = ({ class: how }: OperationModel) => how !== 'read';
const isRestore = ({ id }: OperationModel) => id === 'backup.restore';
const isOneShot = ({ class: how }: OperationModel) => how === 'one-shot';

/** Restores and backups are what most can go wrong with, and reads and marks the least. */
function usual(model: OperationModel): number {
  if (!isWrite(model)) return 2;
  if (model.id === 'notify.mark-read') return 2;
  if (model.id === 'backup.create') return 6;
  return isRestore(model) ? 8 : 4;
}

const usualIf = (fits: (model: OperationModel) => boolean) => (model: OperationModel) =>
  fits(model) ? usual(model) : 0;

export const courseKinds: readonly CourseKind[] = [
  { weight: 16, weightOf: usual, allowsBatch: true, make: (choices) => ({ steps: anything(choices) }) },
  { weight: 8, weightOf: usualIf(isWrite), allowsBatch: false, make: clockSetForward },
  {
    weight: 6,
    weightOf: usualIf(hasHeaderKey),
    allowsBatch: false,
    service: 'keys',
    make: refusedForGood,
  },
  { weight: 6, weightOf: usualIf(isWrite), allowsBatch: false, make: askedToWait },
  { weight: 8, weightOf: usualIf(namesWhatWasAsked), allowsBatch: false, make: contradicted },
  { weight: 34, weightOf: usualIf(mayBeStopped), allowsBatch: false, make: stopped },
  { weight: 8, weightOf: usualIf(isOneShot), allowsBatch: false, make: rawBeside },
  { weight: 7, weightOf: usualIf(isWrite), allowsBatch: false, make: oldDoubt },
  {
    weight: 7,
    weightOf: usualIf(({ class: how }) => how === 'repeatable'),
    allowsBatch: false,
    make: superseding,
  },
  {
    weight: 6,
    weightOf: ({ id }) => overwrittenWeights[id] ?? 0,
    allowsBatch: false,
    service: 'keys',
    make: overwritten,
  },
  { weight: 7, weightOf: usualIf(mayBeRepaired), allowsBatch: false, make: repairedInDoubt },
  { weight: 6, weightOf: usualIf(isRestore), allowsBatch: false, make: resumedRestore },
  { weight: 8, weightOf: usualIf(isNow), allowsBatch: false, make: askedAgain },
  { weight: 6, weightOf: usualIf(isWrite), allowsBatch: false, make: refusedLater },
  { weight: 11, weightOf: usualIf(isWrite), allowsBatch: true, make: damagedLater },
  { weight: 6, weightOf: usualIf(isWrite), allowsBatch: false, make: atNeighbour },
  { weight: 6, weightOf: usualIf(isWrite), allowsBatch: false, make: clockSetBack },
];

/** Before its end, perhaps a look at what there is: what this machine remembers is seldom all. */
export function withLooks({ random, model }: Choices, steps: readonly Step[]): readonly Step[] {
  if (model.list === undefined || !random.chance(0.4)) return steps;
  const look: Step[] = [...(random.chance(0.5) ? [otherUser(random)] : []), calm('list')];
  return steps.length === 1 ? [...steps, ...look] : [...steps.slice(0, -1), ...look, ...steps.slice(-1)];
}

/** What comes of most kinds is seen best where nothing else goes wrong. */
function mostlyAlone(random: Random): Pick<Course, 'writeFaults'> {
  return random.chance(0.7) ? { writeFaults: [] } : {};
}

function anything(choices: Choices): Step[] {
  const { random, model, key } = choices;
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

/** A client of this machine is stopped anywhere with its locks. */
function stopHere({ random }: Choices): Stop {
  return { after: 'lock', steps: random.integer(1, 55) };
}

/**
 * One of another host loses its locks. What comes of it is seen before its record is in place, when a second one would be sent as
 * well, and around a safety backup.
 */
function stopElsewhere({ random, model }: Choices): Stop {
  return random.weighted<() => Stop>([
    [3, () => ({ after: 'lock', steps: random.integer(1, 14) })],
    [isRestore(model) ? 3 : 1, () => ({ after: 'record', steps: random.integer(1, 8) })],
    [isRestore(model) ? 6 : 0, () => ({ after: 'response', steps: random.integer(1, 4) })],
  ])();
}

/** Nothing would be seen of a lost lock: of a backup, one more is what was asked for. */
const notStopped: readonly string[] = ['backup.create', 'notify.mark-read'];

function mayBeStopped(model: OperationModel): boolean {
  return isWrite(model) && !notStopped.includes(model.id);
}

/** What is stopped with its locks, and what is done meanwhile by somebody who wants the same place. */
function stopped(choices: Choices): Course {
  const { random, model } = choices;
  const isInOrder = model.id === 'store.update' || model.id === 'settings.save';
  const meanwhile = isRestore(model) ? 'store-update' : isInOrder ? 'other-subject' : ('same' as const);
  // What reads the dispute first is not sent again, and of one that is opened twice, a second was asked for.
  const isSeen = model.id !== 'disputes.decide' && model.id !== 'disputes.open';
  const system = random.weighted<System>([
    [1, 'linux'],
    [2, 'no-start-times'],
    [isSeen ? 4 : 0, 'other-host'],
  ]);
  const stop = system === 'other-host' ? stopElsewhere(choices) : stopHere(choices);
  const step: Step = { do: 'stopped', stop, system, meanwhile };
  return { steps: random.chance(0.5) ? [step] : [step, calm('resume')], writeFaults: [] };
}

/** The request does not arrive. */
const lost: Fault = { ...noFault, ending: { does: 'reset' }, applies: 'no' };

/** The client is killed while one of its writes is on the way, counted from 1. */
function interrupted(random: Random, write = 1, arrives = true): Step {
  const moments = arrives
    ? (['received', 'applied', 'answered'] as const)
    : (['received', 'answered'] as const);
  return { ...calm('same'), kill: { moment: random.pick(moments), write, afterMs: 0 } };
}

/** The named command and raw requests for the same, in any order. */
function rawBeside(choices: Choices): Course {
  const { random } = choices;
  const first = random.pick(['same', 'raw'] as const);
  const steps = [
    random.chance(0.7) ? { ...interrupted(random), typed: first } : run(choices, first),
    calm('raw'),
    calm(random.pick(['same', 'raw', 'resume'] as const)),
  ];
  return { steps, ...mostlyAlone(random) };
}

/** A change is left in doubt, and resumed after the time in which it is sent again, or before it was sent. */
function oldDoubt({ random }: Choices): Course {
  const later = { ...noMishaps, offsetMs: random.pick([25 * hourMs, 30 * 24 * hourMs, yearMs, -hourMs]) };
  const arrives = random.chance(0.6);
  return {
    steps: [
      interrupted(random, 1, arrives),
      { ...calm(random.pick(['resume', 'resume-newest'] as const)), mishaps: later },
    ],
    writeFaults: [arrives ? noFault : lost],
  };
}

/** A change is interrupted, a later one of the same fields is acknowledged under another clock, and the first is resumed. */
function superseding(choices: Choices): Course {
  const { random } = choices;
  const later = { ...noMishaps, offsetMs: random.pick([0, -hourMs, -4 * hourMs, -yearMs, yearMs]) };
  const steps = [
    interrupted(random),
    { ...calm('other-subject'), mishaps: later },
    run(choices, random.pick(['resume', 'resume-newest'])),
    calm('resume'),
  ];
  return { steps, ...mostlyAlone(random) };
}

/** What reads before it sets values, and would notice. */
const overwrittenWeights: Readonly<Record<string, number>> = { 'store.update': 3, 'settings.save': 1 };

/** Another user changes what an update sets, between its read and its request, or between two attempts. */
function overwritten(choices: Choices): Course {
  const { random } = choices;
  if (random.chance(0.7)) {
    const steps = [run(choices, 'same'), calm(random.pick(['same', 'resume'] as const))];
    return {
      steps: random.chance(0.5) ? steps : [calm('same'), ...steps.slice(1)],
      writeFaults: chooseOverwritten(random),
    };
  }
  const steps = [interrupted(random, 1, false), otherUser(random), calm('resume')];
  return { steps, writeFaults: [lost] };
}

/** A restore, or the safety backup before it, is interrupted, and resumed with all others, over changes since or not. */
function resumedRestore(choices: Choices): Course {
  const { random, safetyBackup } = choices;
  const steps = [
    interrupted(random, safetyBackup ? random.pick([1, 2, 2, 2]) : 1),
    ...(random.chance(0.3) ? changeBetween(choices) : []),
    random.chance(0.5) ? calm('resume') : run(choices, 'resume'),
    calm(random.pick(['resume', 'same'] as const)),
  ];
  return { steps, ...mostlyAlone(random) };
}

/** What is not repeated, and of which no read shows that it is there. */
function mayBeRepaired(model: OperationModel): boolean {
  return isOneShot(model) && !model.readsFirst;
}

/** What a client has sent is in a log that goes bad, is repaired, and is sent again if the repair forgets the doubt. */
function repairedInDoubt(choices: Choices): Course {
  const { random } = choices;
  const damage = damageStep(random, random.pick(['flip', 'flip', 'flip', 'cut', 'cut-lines'] as const));
  const isKilled = random.chance(0.5);
  const rest = [damage, { do: 'repair' } as const, run(choices, 'same'), calm('same')];
  return isKilled
    ? { steps: [interrupted(random), ...rest], ...mostlyAlone(random) }
    : { steps: [calm('same'), ...rest], writeFaults: [{ ...noFault, ending: { does: 'reset' } }] };
}

/** A backup and a restore are about now: each is asked for by itself. */
function isNow({ id }: OperationModel): boolean {
  return id === 'backup.create' || id === 'backup.restore';
}

/** The same is asked for again and again, whether the first has ended or not. */
function askedAgain(choices: Choices): Course {
  const { random } = choices;
  const first = random.pick([calm('same'), run(choices, 'same'), interrupted(random)]);
  return { steps: [first, calm('same'), run(choices, 'same')], ...mostlyAlone(random) };
}

/** The response is about something else, and the request was not applied. */
function contradicted({ random, model }: Choices): Course {
  const ending = chooseContradiction(random, model);
  return {
    steps: random.chance(0.5) ? [calm('same')] : [calm('same'), calm('resume')],
    writeFaults: [{ ...noFault, ending, applies: 'no' }],
  };
}

/** Its key is in the header, so a refusal stays the answer to it. */
function hasHeaderKey(model: OperationModel): boolean {
  return isWrite(model) && model.class !== 'keyed';
}

/** The service refuses a request, which arrives once more later. */
function refusedForGood({ random }: Choices): Course {
  const refused: Fault = {
    ...noFault,
    refuses: true,
    isDeliveredTwice: true,
    laterMs: random.pick([400, 2500]),
  };
  return {
    steps: random.chance(0.5) ? [calm('same')] : [calm('same'), calm('resume')],
    writeFaults: [refused],
  };
}

/** The store asks for a longer wait than the command takes, and the next one comes too soon. */
function askedToWait(choices: Choices): Course {
  const { random } = choices;
  const next = random.pick([calm('same'), calm('resume'), run(choices, 'same')]);
  return { steps: [calm('same'), next, calm('same')], writeFaults: [chooseLongWait(random)] };
}

/** After an attempt that may have been applied comes one that is refused by something on the way. */
function refusedLater({ random }: Choices): Course {
  const next = random.pick(['same', 'resume'] as const);
  return { steps: [calm('same'), calm(next), calm('same')], writeFaults: chooseRefusedLater(random) };
}

/** The other service of this host is given the same commands, while something is in doubt here or not. */
function atNeighbour(choices: Choices): Course {
  const { random } = choices;
  const first = random.chance(0.5) ? interrupted(random) : calm('same');
  const steps = [first, ...elsewhere(choices), calm(random.pick(['same', 'resume'] as const))];
  return { steps, ...mostlyAlone(random) };
}

/** A log of a change that has ended goes bad. */
function damagedLater(choices: Choices): Course {
  const { random } = choices;
  return { steps: [calm('same'), ...damaged(choices)], ...mostlyAlone(random) };
}

function damaged({ random }: Choices): Step[] {
  const how = random.weighted([
    [1, 'flip' as const],
    [1, 'cut' as const],
    [7, 'cut-lines' as const],
    [1, 'empty' as const],
  ]);
  const steps: Step[] = [damageStep(random, how), calm(random.chance(0.6) ? 'same' : 'resume')];
  return random.chance(0.6) ? [...steps, { do: 'repair' }, calm('same')] : steps;
}

/** Waits and deadlines would seem to be over. */
function clockSetForward(choices: Choices): Course {
  return clockSet(
    choices,
    clockSteps.filter((ms) => ms > 0),
  );
}

/** Waits and deadlines would seem to be far. */
function clockSetBack(choices: Choices): Course {
  return clockSet(choices, [...stepsBack, ...clockSteps.filter((ms) => ms < 0)]);
}

/** The clock is set while a request waits to be sent again. Time is left, so it has to be. */
function clockSet({ random, model }: Choices, jumps: readonly number[]): Course {
  // From the first request of a machine until after the response to it.
  const mishaps = { ...noMishaps, jumpAt: random.integer(24, 38), jumpMs: random.pick(jumps) };
  return {
    steps: [{ ...calm('same'), mishaps }, calm(random.pick(['same', 'resume'] as const))],
    writeFaults: Array.from({ length: random.integer(1, 2) }, () => chooseRetried(random, model)),
    timeoutMs: 15_000,
  };
}
