import { type OperationId, type OperationModel, operationIds, operations } from './operations.ts';
import { createRandom } from './random.ts';
import {
  chooseReadFault,
  chooseService,
  chooseWriteFault,
  type Fault,
  type ServiceKind,
} from './service/faults.ts';
import { chooseSteps, type Step } from './steps.ts';

/** Everything that happens, as data: the same seed gives the same schedule. */
export interface Schedule {
  readonly seed: number;
  readonly operation: OperationId;
  readonly service: ServiceKind;
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

/** Restores are what most can go wrong with, and of reads and marks the least. */
function weightOf({ id, class: how }: OperationModel): number {
  if (how === 'read') return 1;
  if (id === 'notify.mark-read') return 2;
  return id === 'backup.restore' ? 8 : 4;
}

export function makeSchedule(seed: number): Schedule {
  const random = createRandom(seed);
  // Long enough for an id.
  const name = `s${String(seed).padStart(8, '0')}`;
  const operation = random.weighted(operationIds.map((id) => [weightOf(operations[id]), id]));
  const model: OperationModel = operations[operation];
  const decides = operation === 'disputes.decide';
  const isBatch = (decides || operation === 'blog.create') && random.chance(0.5);
  const count = isBatch ? random.integer(3, 6) : 1;
  const key = model.class === 'keyed' ? random.pick(['made', 'made', 'given', 'ci'] as const) : 'made';
  const service = chooseService(random);
  const writeFault = () => chooseWriteFault(random, model, service);
  const readFault = () => chooseReadFault(random, model);
  const safetyBackup = random.chance(0.6);
  const schedule: Schedule = {
    seed,
    operation,
    service,
    subjects: Array.from({ length: count }, (_, index) => `${name}-${index + 1}`),
    otherSubject: `${name}-other`,
    key,
    safetyBackup,
    timeoutMs: random.weighted([
      [3, random.integer(3, 6) * 1000],
      [1, 15_000],
    ]),
    writeFaults: Array.from({ length: random.integer(0, 4) }, writeFault),
    readFaults: random.chance(model.readsFirst ? 0.4 : 0.15)
      ? Array.from({ length: random.integer(1, 3) }, readFault)
      : [],
    steps: chooseSteps({ random, model, key, isBatch, safetyBackup }),
  };
  // What comes of a lost lock is seen where nothing else goes wrong.
  const isStopped = schedule.steps.some((step) => step.do === 'stopped');
  return isStopped ? { ...schedule, writeFaults: [], readFaults: [] } : schedule;
}
