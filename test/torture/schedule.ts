import { courseKinds, withLooks } from './courses.ts';
import { type OperationId, type OperationModel, operationIds, operations } from './operations.ts';
import { createRandom } from './random.ts';
import {
  chooseReadFault,
  chooseService,
  chooseWriteFault,
  type Fault,
  type ServiceKind,
} from './service/faults.ts';
import type { Step } from './steps.ts';

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

export function makeSchedule(seed: number): Schedule {
  const random = createRandom(seed);
  // Long enough for an id.
  const name = `s${String(seed).padStart(8, '0')}`;
  const kind = random.weighted(courseKinds.map((each) => [each.weight, each]));
  const operation = random.weighted(operationIds.map((id) => [kind.weightOf(operations[id]), id]));
  const model: OperationModel = operations[operation];
  const decides = operation === 'disputes.decide';
  const isBatch = kind.allowsBatch && (decides || operation === 'blog.create') && random.chance(0.5);
  const count = isBatch ? random.integer(3, 6) : 1;
  const key = model.class === 'keyed' ? random.pick(['made', 'made', 'given', 'ci'] as const) : 'made';
  const service = kind.service ?? chooseService(random);
  const writeFault = () => chooseWriteFault(random, model, service);
  const readFault = () => chooseReadFault(random, model);
  const safetyBackup = random.chance(0.6);
  const choices = { random, model, key, isBatch, safetyBackup };
  const course = kind.make(choices);
  const randomTimeoutMs = random.weighted([
    [3, random.integer(3, 6) * 1000],
    [1, 15_000],
  ]);
  return {
    seed,
    operation,
    service,
    subjects: Array.from({ length: count }, (_, index) => `${name}-${index + 1}`),
    otherSubject: `${name}-other`,
    key,
    safetyBackup,
    timeoutMs: course.timeoutMs ?? randomTimeoutMs,
    writeFaults: course.writeFaults ?? Array.from({ length: random.integer(0, 4) }, writeFault),
    readFaults:
      course.writeFaults === undefined && random.chance(model.readsFirst ? 0.4 : 0.15)
        ? Array.from({ length: random.integer(1, 3) }, readFault)
        : [],
    steps: withLooks(choices, course.steps),
  };
}
