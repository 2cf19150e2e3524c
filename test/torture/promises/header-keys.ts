import { type OperationId, operations } from '../operations.ts';
import type { HistoryLine, Run } from '../play.ts';
import { noFault } from '../service/faults.ts';
import type { SeenRequest } from '../service/model-server.ts';
import type { ProgramPromise } from './promise.ts';
import { isResume, keyOf, type Story, wasKilled } from './story.ts';

/** Promises about changes with a key in the header, and about what is too old to be sent again. */
export const headerKeyPromises: readonly ProgramPromise[] = [
  {
    id: 'key-in-header',
    text: 'every change without a key in its body has one in its header',
    check: ({ requests }) => {
      const writes = requests.filter(({ write, body }) => write !== null && keyOf({ body }) === null);
      if (writes.length === 0) return null;
      return writes.filter(({ key }) => key === null).map(({ number }) => `request ${number} has no key`);
    },
  },
  {
    id: 'resume-ends-doubts',
    text: 'against a service with keys, within 20 hours, one undisturbed `resume` leaves no change open that was sent with a key in its header',
    check: (story) => {
      const last = story.runs.at(-1);
      if (last === undefined || !isCalmResume(story, last)) return null;
      const isLeft = (line: HistoryLine) =>
        line.open &&
        line.supersededBy === null &&
        (line.state === 'unknown' || line.state === 'sent') &&
        isHeaderKeyed(line);
      return (story.history ?? [])
        .filter(isLeft)
        .map(({ id, operation }) => `${id} (${operation}) is still open`);
    },
  },
  {
    id: 'store-of-others-is-kept',
    text: 'an update of the store or its settings replaces nothing that another user has set since it was read',
    check: ({ schedule, overwritten }) =>
      !['store.update', 'settings.save'].includes(schedule.operation) || schedule.service !== 'keys'
        ? null
        : overwritten.map((number) => `request ${number} replaced what another user had set`),
  },
  {
    id: 'old-needs-a-yes',
    text: 'what was first sent more than 20 hours ago, or in the future, is not sent again without a yes',
    check: (story) => {
      if (story.wasDamaged) return null;
      const verdicts = story.runs.map((run) => sentTooLate(story, run));
      const found = verdicts.filter((verdict) => verdict !== null);
      return found.length === 0 ? null : found.flat();
    },
  },
];

/** A record that can be ended by its key alone: what sets values also needs the version that it replaces. */
function isHeaderKeyed({ operation, idempotencyKey, ifMatch }: HistoryLine): boolean {
  const model = operations[operation as OperationId];
  if (model === undefined || model.class === 'keyed' || idempotencyKey === null) return false;
  return (operation !== 'store.update' && operation !== 'settings.save') || ifMatch !== null;
}

/** Nothing went wrong in it, and all clocks were right since the beginning. */
function isCalmResume({ schedule, runs, wasDamaged, hadPowerCut }: Story, last: Run): boolean {
  const isRight = ({ mishaps: { offsetMs, jumpAt, fullAt } }: Run) =>
    offsetMs === 0 && jumpAt === 0 && fullAt === 0;
  const isCalm =
    last.mishaps.killAt === 0 &&
    !last.mishaps.stdoutFull &&
    !wasKilled(last) &&
    last.requests.every(({ fault }) => fault === noFault);
  // What was asked to wait longer than a command may take is left, and said.
  const isWaiting = runs.some(({ events }) =>
    events.some((event) => event.event === 'wait' && event.waitMs > 3_000),
  );
  const isKnown = schedule.service === 'keys' && !wasDamaged && !hadPowerCut && !isWaiting;
  return isKnown && last.typed === 'resume' && last.exitCode !== 11 && runs.every(isRight) && isCalm;
}

const oldMs = 20 * 3_600_000;
const marginMs = 60_000;

/** What a run sent again although its record was too old by its clock; null where nothing was, or the age is not certain. */
function sentTooLate({ runs }: Story, run: Run): readonly string[] | null {
  const isCertain = ({ mishaps }: Run) => mishaps.jumpAt === 0;
  if (!isCertain(run)) return null;
  const keyIn = (request: SeenRequest) => keyOf(request) ?? request.key;
  // What was refused for certain may be sent anew with its key, such as that of a job.
  const mayBeApplied = ({ write, view }: SeenRequest) =>
    write !== null && view !== 'refused' && view !== 'throttled';
  const writes = run.requests.filter(({ write }) => write !== null);
  const verdicts = writes.flatMap((request) => {
    const key = keyIn(request);
    // Another place has a history of its own, and perhaps the same key: that of a job.
    const first = runs.find(
      ({ requests, identity, startedMs }) =>
        startedMs < run.startedMs &&
        identity.place === run.identity.place &&
        requests.some((other) => mayBeApplied(other) && keyIn(other) === key),
    );
    if (first === undefined || !isCertain(first) || first.inPair || run.inPair) return [];
    const ageMs = run.startedMs + run.mishaps.offsetMs - (first.startedMs + first.mishaps.offsetMs);
    const isOld = ageMs > oldMs + marginMs || ageMs < -marginMs;
    return isOld
      ? [`${run.typed} sent request ${request.number} again, ${Math.round(ageMs / 3_600_000)} h later`]
      : [];
  });
  return isResume(run) && writes.length === 0 && verdicts.length === 0 ? null : verdicts;
}
