import type { OperationModel } from '../operations.ts';
import type { Random } from '../random.ts';
import type { OtherUser } from './model.ts';

/** How the answer to one request ends. Times in milliseconds. */
type Ending =
  /** The service's own answer, whole. */
  | { readonly does: 'answer' }
  /** The same, and the connection is closed at once. */
  | { readonly does: 'answer-and-close' }
  | { readonly does: 'reset' }
  | { readonly does: 'close' }
  /** The service's own answer up to this part of its bytes, in (0, 1). */
  | { readonly does: 'cut'; readonly at: number }
  | { readonly does: 'hang' }
  /** Something between client and service answers instead of it. */
  | { readonly does: 'status'; readonly status: number; readonly form: BodyForm; readonly wait: Wait | null }
  /** 409: a request with the same key is being worked on. */
  | { readonly does: 'in-progress' }
  /** A success whose body cannot be read. */
  | { readonly does: 'unreadable'; readonly form: 'html' | 'empty' | 'half' }
  /** A success that speaks of something else, or that has other values or types than usual. */
  | { readonly does: 'contradict'; readonly what: Contradiction }
  /** A refusal of this request, and behind it on the same connection the response to the request before. */
  | { readonly does: 'answer-twice' };

/** `id`: another object; `status`: another decision; `name`: another label, title, name, kind or backup than was asked for. */
export type Contradiction = 'id' | 'status' | 'name' | 'values' | 'types';

export type BodyForm = 'problem' | 'nested' | 'word' | 'html' | 'nothing';

/** `Retry-After`: how long, and how it is written. */
export interface Wait {
  readonly ms: number;
  /** `endless`: a number of seconds that no clock can show. */
  readonly form: 'seconds' | 'decimal' | 'date' | 'endless';
}

/** What happens to one request. */
export interface Fault {
  readonly ending: Ending;
  /** Whether and when the service applies a write: `later` is after the connection has ended, after {@link Fault.laterMs}. */
  readonly applies: 'no' | 'yes' | 'later';
  /** Statuses of informational answers that come before the final one, such as 100 and 103. */
  readonly before: readonly number[];
  /** How long the service takes. */
  readonly delayMs: number;
  /** Right before the request, another user changes the settings or the store, or decides the dispute otherwise. */
  readonly otherUser?: OtherUser | undefined;
  /** The service itself refuses the request, and keeps that for its key. */
  readonly refuses?: boolean;
  /** Something on the way delivers the request once more, after the connection has ended. */
  readonly isDeliveredTwice?: boolean;
  /** When what arrives late, or once more, does so. */
  readonly laterMs: number;
}

export const noFault: Fault = {
  ending: { does: 'answer' },
  applies: 'yes',
  before: [],
  delayMs: 0,
  laterMs: 0,
};

/** 5xx that a server sends for a request that it certainly has not carried out. */
const definite5xx = new Set([501, 505, 511]);

/** What a client may conclude from a whole answer with this status: see the retry table of the design. */
function isDefiniteRefusal(status: number): boolean {
  if (status === 408) return false;
  if (status >= 304 && status < 500) return true;
  return definite5xx.has(status);
}

/** The request was carried out anyway. */
function isHarmless({ what }: Extract<Ending, { does: 'contradict' }>): boolean {
  return what === 'values' || what === 'types';
}

/** What one request looked like to its client: the only thing that it can decide by. */
export type View = 'success' | 'refused' | 'throttled' | 'doubtful';

/** `headAt` is where the head of the whole response ends, as a part of it. */
export function viewOf({ ending }: Fault, serviceStatus: number, headAt: number): View {
  switch (ending.does) {
    case 'cut':
      // The status of a refusal counts, whether its body came or not.
      return isDefiniteRefusal(serviceStatus) && ending.at > headAt ? 'refused' : 'doubtful';
    case 'answer':
    case 'answer-and-close':
    case 'answer-twice':
      return serviceStatus < 300 ? 'success' : 'refused';
    case 'contradict':
      if (serviceStatus >= 300) return 'refused';
      return isHarmless(ending) ? 'success' : 'doubtful';
    case 'status':
      if (ending.status === 429 || ending.status === 425) return 'throttled';
      return isDefiniteRefusal(ending.status) ? 'refused' : 'doubtful';
    default:
      return 'doubtful';
  }
}

const forms: readonly BodyForm[] = ['problem', 'nested', 'word', 'html', 'nothing'];
const refusals = [
  304, 307, 308, 400, 401, 403, 404, 405, 409, 410, 413, 415, 421, 422, 431, 451, 501, 505, 511,
];
const doubtfulStatuses = [300, 301, 302, 303, 408, 500, 502, 503, 504, 507, 520, 522, 524, 529, 530, 599];

/** Whether the answer repeats what was sent. */
const echoesValues = ({ id }: OperationModel): boolean => ['store.update', 'settings.save'].includes(id);

/** Whether the response has a field that says what was asked for. */
export function namesWhatWasAsked({ id, class: operationClass }: OperationModel): boolean {
  return (
    operationClass === 'keyed' ||
    ['blog.create', 'notify.add-endpoint', 'reclaim.appeal', 'disputes.decide'].includes(id)
  );
}

/** A success that speaks of something else than the request. */
export function chooseContradiction(random: Random, { id }: OperationModel): Ending {
  return { does: 'contradict', what: id === 'disputes.decide' ? random.pick(['id', 'status']) : 'name' };
}

/**
 * What is between the client and a service. `keys`: it applies the key of a header once. Of the others, the client must not conclude
 * that: a gateway takes the headers of requests or responses away, or the service does not know them.
 */
export type ServiceKind = 'keys' | 'plain' | 'strips requests' | 'strips responses' | 'strips both';

export function chooseService(random: Random): ServiceKind {
  return random.weighted([
    [5, 'keys'],
    [2, 'plain'],
    [1, 'strips requests'],
    [1, 'strips responses'],
    [1, 'strips both'],
  ]);
}

/** A fault for a request that changes something. */
export function chooseWriteFault(random: Random, operation: OperationModel, service: ServiceKind): Fault {
  const decides = operation.id === 'disputes.decide';
  const ending = random.weighted<() => Ending>([
    [3, () => ({ does: 'reset' })],
    [2, () => ({ does: 'close' })],
    [3, () => ({ does: 'cut', at: 0.02 + 0.96 * random.next() })],
    [1, () => ({ does: 'hang' })],
    [5, () => status(random, random.pick(doubtfulStatuses), 0.25)],
    [6, () => status(random, random.pick(refusals), 0.2)],
    [3, () => status(random, random.pick([429, 429, 429, 425]), 0.6)],
    [operation.class === 'keyed' ? 1 : 0, () => ({ does: 'in-progress' })],
    [2, () => ({ does: 'unreadable', form: random.pick(['html', 'empty', 'half']) })],
    [namesWhatWasAsked(operation) ? (decides ? 4 : 2) : 0, () => chooseContradiction(random, operation)],
    [2, () => ({ does: 'answer-twice' })],
    [echoesValues(operation) ? 1 : 0, () => ({ does: 'contradict', what: 'values' })],
    [1, () => ({ does: 'contradict', what: 'types' })],
    [3, () => ({ does: random.pick(['answer', 'answer-and-close']) })],
  ])();
  const before = random.chance(0.15) ? random.pick([[100], [103], [100, 103], [102, 102]]) : [];
  const delayMs = random.chance(0.2) ? random.integer(20, 700) : 0;
  const refuses = service === 'keys' && operation.class !== 'keyed' && random.chance(0.22);
  const applies = refuses ? 'yes' : appliesFor(random, ending);
  // What the service never saw is not delivered once more; without a key that it knows, the client could not help it. Nor after a
  // refusal, which frees a key in the body.
  const isKnown = service === 'keys' || operation.class === 'keyed';
  const mayCome = isKnown && applies !== 'no';
  return {
    ending: refuses && random.chance(0.5) ? { does: 'answer' } : ending,
    applies,
    before,
    delayMs,
    // An update of the store has what would notice it.
    otherUser: random.chance(operation.id === 'store.update' ? 0.6 : 0.15)
      ? chooseOtherUser(random)
      : undefined,
    refuses,
    isDeliveredTwice: mayCome && random.chance(refuses ? 0.75 : 0.2),
    // Within a run, or after the next one has begun.
    laterMs: random.pick([400, 400, 400, 2500]),
  };
}

export function chooseOtherUser(random: Random): OtherUser {
  return random.weighted([
    [4, 'changes'],
    [1, 'backup'],
    [2, 'restores'],
  ]);
}

/** Another user is faster than the first request, or than the one after it: that came to nothing. */
export function chooseOverwritten(random: Random): Fault[] {
  const overtaking: Fault = { ...noFault, otherUser: random.pick(['changes', 'changes', 'restores']) };
  const ending: Ending = random.pick([
    { does: 'reset' },
    { does: 'close' },
    { does: 'cut', at: random.next() / 2 },
  ]);
  return random.chance(0.6) ? [overtaking] : [{ ...noFault, ending, applies: 'no' }, overtaking];
}

/** A response that asks for more time than a command has. */
export function chooseLongWait(random: Random): Fault {
  const wait: Wait = { ms: random.pick([60_000, hourMs]), form: random.pick(['seconds', 'date']) };
  const code = random.pick([429, 429, 425, 503]);
  const ending: Ending = { does: 'status', status: code, form: random.pick(forms), wait };
  return { ...noFault, ending, applies: 'no' };
}

/** One attempt is in doubt, and the next is refused, not by the service itself. */
export function chooseRefusedLater(random: Random): Fault[] {
  const refusal: Fault = { ...noFault, ending: status(random, random.pick(refusals), 0), applies: 'no' };
  const ending: Ending = random.pick([{ does: 'reset' }, { does: 'close' }]);
  return [{ ...noFault, ending, applies: random.chance(0.7) ? 'yes' : 'no' }, refusal];
}

/** A fault after which a request is sent again within seconds. */
export function chooseRetried(random: Random, operation: OperationModel): Fault {
  const isDoubtful = operation.class !== 'one-shot' && random.chance(0.4);
  if (isDoubtful) return { ...noFault, ending: random.pick([{ does: 'reset' }, { does: 'close' }]) };
  const wait: Wait | null = random.chance(0.7) ? { ms: random.integer(1, 2) * 1000, form: 'seconds' } : null;
  const ending: Ending = { does: 'status', status: random.pick([429, 425]), form: random.pick(forms), wait };
  return { ...noFault, ending, applies: 'no' };
}

/** A definite refusal means that nothing was applied; everything else leaves it open. */
function appliesFor(random: Random, ending: Ending): Fault['applies'] {
  if (['answer', 'answer-and-close', 'answer-twice'].includes(ending.does)) return 'yes';
  if (ending.does === 'contradict' && isHarmless(ending)) return 'yes';
  if (ending.does === 'status') {
    const { status } = ending;
    if (isDefiniteRefusal(status)) return 'no';
  }
  return random.weighted([
    [3, 'yes'],
    [2, 'no'],
    [1, 'later'],
  ]);
}

/** A fault for a read. */
export function chooseReadFault(random: Random, operation: OperationModel): Fault {
  const decides = operation.id === 'disputes.decide';
  const ending = random.weighted<() => Ending>([
    [2, () => ({ does: 'reset' })],
    [1, () => ({ does: 'close' })],
    [2, () => ({ does: 'cut', at: 0.02 + 0.96 * random.next() })],
    [3, () => status(random, random.pick([...doubtfulStatuses, ...refusals]), 0.1)],
    [2, () => status(random, 429, 0.7)],
    [1, () => ({ does: 'unreadable', form: random.pick(['html', 'empty', 'half']) })],
    [decides ? 4 : 0, () => ({ does: 'contradict', what: 'id' })],
    [1, () => ({ does: 'contradict', what: 'types' })],
    [6, () => ({ does: 'answer' })],
  ])();
  return {
    ending,
    applies: 'yes',
    before: random.chance(0.1) ? [103] : [],
    delayMs: random.chance(0.2) ? 200 : 0,
    otherUser: random.chance(0.15) ? chooseOtherUser(random) : undefined,
    laterMs: 0,
  };
}

function status(random: Random, code: number, waitChance: number): Ending {
  const form = random.pick(forms);
  return { does: 'status', status: code, form, wait: random.chance(waitChance) ? chooseWait(random) : null };
}

const hourMs = 3_600_000;
const yearMs = 365 * 24 * hourMs;
/** 1e20 seconds. */
const endlessMs = 1e23;

/** Mostly short, so that a run lives through it; sometimes longer than any command may take. */
function chooseWait(random: Random): Wait {
  const form = random.pick(['seconds', 'decimal', 'date'] as const);
  if (random.chance(0.4)) {
    const ms = random.pick([60_000, hourMs, yearMs, endlessMs]);
    return { ms, form: ms === endlessMs ? 'endless' : form };
  }
  return { ms: form === 'decimal' ? random.integer(100, 1900) : random.integer(1, 2) * 1000, form };
}

/** For traces. */
export function describeFault(fault: Fault): string {
  const { ending, applies, before, delayMs, otherUser, refuses, isDeliveredTwice } = fault;
  const parts: string[] = [ending.does];
  if (ending.does === 'status') parts.push(String(ending.status), ending.form);
  if (ending.does === 'status' && ending.wait) parts.push(`retry-after ${ending.wait.ms} ms`);
  if (ending.does === 'cut') parts.push(`at ${Math.round(100 * ending.at)} %`);
  if (ending.does === 'unreadable') parts.push(ending.form);
  if (ending.does === 'contradict') parts.push(ending.what);
  if (before.length > 0) parts.push(`after ${before.join(', ')}`);
  if (delayMs > 0) parts.push(`${delayMs} ms`);
  if (otherUser !== undefined) parts.push(`(another user before: ${otherUser})`);
  if (refuses) parts.push('(the service refuses it)');
  if (isDeliveredTwice) parts.push('(delivered twice)');
  return `${parts.join(' ')}, applies: ${applies}`;
}
