import type { OutcomeKind } from '../../client/outcome/outcome.ts';
import { withoutKeys } from '../../contract/api-key.ts';
import type { ConnectionFlags } from '../config/connection-settings.ts';
import { phraseText } from '../config/phrase.ts';
import type { Failure, FieldError, Step } from '../core/errors.ts';
import { type ExitCode, exitCodes } from '../core/exit-codes.ts';
import { maxTimeoutSeconds } from '../core/option-spec.ts';
import { printable } from '../core/sanitize.ts';
import { formatTime } from './format-value.ts';
import { lowerFirst, upperFirst } from './labels.ts';

/** Whom a failure is explained to, and after which command. */
export interface Audience {
  /** Epoch milliseconds. */
  readonly now: number;
  /** The flags that say where the command goes. */
  readonly flags?: ConnectionFlags | undefined;
  /** What the command says if it had no effect: `nothing was sent`; undefined for one that changes nothing. */
  readonly withoutEffect?: string | undefined;
  /** Without columns: for a screen reader. */
  readonly plain?: boolean | undefined;
  /** The name of a field, where it is not the name of its flag. */
  readonly nameOf?: (field: FieldError) => string | null;
}

/** A failure for a person: what happened, and what to do next, a line for each step. Without keys, but not made printable. */
export function describeFailure(
  failure: Failure,
  audience: Audience,
): { readonly message: string; readonly steps: readonly string[] } {
  return {
    message: withoutKeys(messageOf(failure, audience)),
    steps: describeSteps(failure.next ?? [], audience).map(withoutKeys),
  };
}

/** The error that `--json` prints on stderr. */
export function failureDocument(failure: Failure, audience: Audience) {
  const { code, outcome, status, requestId, retryAt, operationId, safetyBackupId } = failure;
  const fields = failure.fields?.map(({ field, flag, detail }) => ({
    field: withoutKeys(field),
    flag: flag && withoutKeys(flag),
    detail: withoutKeys(detail),
  }));
  const files = failure.files?.map(({ path, line, field, reason }) => ({
    path: withoutKeys(path),
    line,
    field: field && withoutKeys(field),
    reason: withoutKeys(reason),
  }));
  const { message, steps } = describeFailure(failure, audience);
  return {
    code,
    message,
    hint: steps.length === 0 ? undefined : steps.join('; '),
    outcome,
    status,
    requestId,
    retryAt,
    operationId,
    safetyBackupId,
    fields,
    files,
  };
}

/** The reason of one item of a batch, in one line. The whole batch says what was sent. */
export function describeItem({ fields = [], ...failure }: Failure, recordId: string | undefined): string {
  const { outcome, status, code, what, reason = what } = failure;
  if (fields.length > 0) {
    const wrong = fields.map(({ field, detail }) => `${field}: ${detail}`).join('; ');
    return printable(withoutKeys(status === undefined ? wrong : `${wrong} (${[status, code].join(' ')})`));
  }
  const id = outcome === 'unknown' && recordId !== undefined ? ` (${recordId})` : '';
  // The row begins with "in doubt", so only the reason follows.
  return printable(withoutKeys(`${(outcome === 'unknown' ? reason : what) ?? ''}${id}`));
}

/** A sentence for each step. To run the command again ends the sentence before it. */
function describeSteps(steps: readonly Step[], audience: Pick<Audience, 'now' | 'flags'>): string[] {
  const sentences: string[] = [];
  for (const step of steps) {
    const said = describeStep(step, audience);
    const before = 'again' in step ? sentences.pop() : undefined;
    sentences.push(before === undefined ? said : `${before}, then ${said}`);
  }
  return sentences;
}

function describeStep(step: Step, { now, flags = {} }: Pick<Audience, 'now' | 'flags'>): string {
  if ('say' in step) return step.say;
  const run = 'again' in step ? 'run the command again' : `run ${phraseText([step], flags)}`;
  const rest = 'rest' in step ? ` ${step.rest}` : '';
  const { when, wait } = whenToTry(step.after ?? null, now);
  return run + when + rest + wait;
}

/** When the service wants to be asked again (epoch milliseconds), and how to wait for it. */
function whenToTry(retryAt: number | null, now: number): { readonly when: string; readonly wait: string } {
  if (retryAt === null) return { when: '', wait: '' };
  const leftMs = retryAt - now;
  if (leftMs > 0 && leftMs < 60_000) return { when: ` in ${Math.ceil(leftMs / 1000)} s`, wait: '' };
  // Times are shown in minutes, and a minute too early is refused again.
  const minute = new Date(Math.ceil(retryAt / 60_000) * 60_000).toISOString();
  // A minute more, for the time that it takes to do so.
  const seconds = Math.ceil(leftMs / 60_000) * 60 + 60;
  const canWait = leftMs > 0 && seconds <= maxTimeoutSeconds;
  return {
    when: ` after ${formatTime(minute, now) ?? minute}`,
    wait: canWait ? `, or add --timeout ${seconds} to wait until then` : '',
  };
}

const flagOf = ({ flag }: FieldError) => flag;

function messageOf(failure: Failure, { withoutEffect, plain, nameOf = flagOf }: Audience): string {
  const { outcome, exitCode, done = [] } = failure;
  const { clause, lines } = clauseOf(failure, (one) => nameOf(one) ?? (one.field || 'the request'), plain);
  const hadNoEffect = outcome === 'not_sent' || outcome === 'rejected';
  // That input that is wrong or missing is not sent goes without saying.
  const isInput = exitCode === exitCodes.usage || exitCode === exitCodes.inputNeeded;
  const effect = hadNoEffect && !isInput ? withoutEffect : undefined;
  const sentence =
    done.length > 0
      ? `${done.join(', ')}${effect === undefined ? '' : `, but ${effect}`}: ${clause}`
      : outcome === 'not_sent' && effect !== undefined
        ? `${clause}; ${effect}`
        : clause;
  return [lines.length === 0 ? sentence : `${sentence}:`, ...lines.map((line) => `  ${line}`)].join('\n');
}

/** `lines` has one for each field that the clause does not name. */
function clauseOf(
  { what, lines = [], fields = [], status }: Failure,
  nameOf: (field: FieldError) => string,
  plain = false,
): { clause: string; lines: readonly string[] } {
  // The fields that a response names are not in the clause.
  const named = status === undefined ? [] : fields.map((field) => `${nameOf(field)}: ${field.detail}`);
  if (what !== undefined) return { clause: what, lines: [...lines, ...named] };
  const [only, ...others] = fields;
  const isMissing = only?.give !== undefined;
  if (only !== undefined && others.length === 0) {
    return {
      clause: isMissing
        ? `${only.give} is required (${lowerFirst(only.detail)})`
        : `${nameOf(only)} ${only.detail}`,
      lines: [],
    };
  }
  const width = Math.max(...fields.map(({ give = '' }) => give.length));
  return isMissing
    ? {
        clause: 'required values are missing',
        lines: fields.map(
          ({ give = '', detail }) => (plain ? `${give}: ` : `${give.padEnd(width)}  `) + upperFirst(detail),
        ),
      }
    : { clause: 'invalid values', lines: fields.map((field) => `${nameOf(field)} ${field.detail}`) };
}

const { bug, usage, inputNeeded, notAllowed, notFound, conflict, rejected } = exitCodes;
const { throttled, notApplied, localState, outputFailed, cancelled } = exitCodes;

/** What an assistant does after a command that ended with this exit code. It knows no flags and no terminal. */
const nextForAssistant: ReadonlyMap<number, string> = new Map([
  [bug, 'An internal error. Call history_list to see what was sent before you do anything else.'],
  [usage, 'Nothing was sent. Correct the input, then call again.'],
  [inputNeeded, 'Input is missing, nothing was sent. Ask the user for it, then call again.'],
  [notAllowed, 'Nothing was applied. The user has to store a valid key that may do this.'],
  [notFound, 'Not found, nothing was applied. Check the id.'],
  [conflict, 'Nothing was applied. Look at what is there now before you try again.'],
  [rejected, 'The service refused it, nothing was applied. Correct the input.'],
  [throttled, 'Rate limited, nothing was applied. Call again after the time in the error, or later.'],
  [notApplied, 'The service failed or was not reached, nothing was applied. Call again later.'],
  [localState, 'Settings or history on this machine cannot be used, nothing was sent. Tell the user.'],
  [outputFailed, 'It was applied. history_show has the response.'],
  [cancelled, 'Cancelled before anything was sent.'],
]);

/** What an assistant called, and what came of it. */
interface Called {
  readonly tool: string;
  readonly exitCode: ExitCode;
  readonly failure: Failure | null;
  readonly outcome: OutcomeKind | undefined;
  readonly historyId: string | undefined;
}

/** What an assistant does after a call, or undefined if nothing is left to do. */
export function adviseAssistant({ tool, exitCode, failure, outcome, historyId }: Called): string | undefined {
  if (outcome === 'unknown') {
    return tool === 'resume'
      ? 'Still unknown: it may have been applied. Do not send it again. Tell the user: only they can check the store.'
      : `It may have been applied. Do not call ${tool} again. Call resume with the id ${historyId ?? 'from history_list'}.`;
  }
  if (failure?.code === 'wrong_confirmation')
    return 'The confirmation does not match, so nothing was sent. Ask the user before you try again.';
  const isConnection = ({ field }: FieldError) => field === 'baseUrl' || field === 'storeId';
  if (exitCode === inputNeeded && failure?.fields?.some(isConnection))
    return 'Nothing was sent. The user has to log in to a store first.';
  if (exitCode !== exitCodes.done) return nextForAssistant.get(exitCode);
  return outcome === 'not_sent' ? 'Nothing was sent, because nothing had to change.' : undefined;
}
