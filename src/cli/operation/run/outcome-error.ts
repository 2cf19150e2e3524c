import type { Outcome, Problem } from '../../../client/outcome.ts';
import { MAX_ATTEMPTS } from '../../../client/retry.ts';
import type { OperationClass } from '../../../contract/operation.ts';
import { CliError, type FieldError } from '../../core/errors.ts';
import { exitCodeOfStatus, exitCodes } from '../../core/exit-codes.ts';
import { printable } from '../../core/sanitize.ts';
import type { FieldFlag } from '../../input/field-flags.ts';
import { flagOf } from '../../input/request-body.ts';
import { formatTime } from '../../output/format-value.ts';

/** What an error message about an outcome needs to know besides the outcome. */
export interface OutcomeContext {
  readonly class: OperationClass;
  readonly fields: readonly FieldFlag[];
  /** Id of the history record, or null for a read. */
  readonly recordId: string | null;
  /** The environment variable that supplied the key, or null. */
  readonly keyVariable: string | null;
  /** What "not found" is about; without it the service's own words are shown. */
  readonly subject?: Subject;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** What a request is about. */
interface Subject {
  /** `Dispute 4b…`, or null for the store itself. */
  readonly object: string | null;
  readonly storeId: string;
}

/** The error for an outcome other than `applied`: exit code, what happened, and what to do next. */
export function outcomeError(
  outcome: Exclude<Outcome, { kind: 'applied' }>,
  context: OutcomeContext,
): CliError {
  const common = {
    outcome: outcome.kind,
    requestId: outcome.requestId ?? undefined,
    operationId: context.recordId ?? undefined,
  };
  switch (outcome.kind) {
    case 'rejected': {
      const { problem, status } = outcome;
      const fields = describeFields(problem, context.fields);
      return new CliError({
        ...common,
        code: problem.code ?? `http_${status}`,
        exitCode: exitCodeOfStatus(status),
        message:
          notFoundMessage(status, problem, context.subject) ??
          [
            `the service refused (${status}${problem.code ? ` ${printable(problem.code)}` : ''}): ${printable(problem.message)}`,
            ...fields.map(({ field, flag, detail }) => `  ${flag ?? (field || 'the request')}: ${detail}`),
          ].join('\n'),
        hint:
          problem.code === 'idempotency_key_reused'
            ? anotherKey
            : hintOfStatus(status, outcome.retryAt, context),
        status,
        fields: fields.length > 0 ? fields : undefined,
      });
    }
    case 'not_sent':
      if (outcome.failure.code === 'cancelled') {
        return new CliError({
          ...common,
          code: 'cancelled',
          exitCode: exitCodes.cancelled,
          message: 'cancelled, nothing was sent',
        });
      }
      if (outcome.failure.code === 'throttled') {
        return new CliError({
          ...common,
          code: 'throttled',
          exitCode: exitCodes.throttled,
          message: `${printable(outcome.failure.message)}: nothing was sent`,
          hint: whenToTryAgain('run the command again', outcome.retryAt, context.now),
        });
      }
      return new CliError({
        ...common,
        code: outcome.failure.code,
        exitCode: exitCodes.notApplied,
        message: `the service could not be reached${inAttempts(outcome)}: ${printable(outcome.failure.message)}`,
        hint: 'nothing was sent; check the address and the network, then run the command again',
      });
    case 'unknown':
      return unknownError(outcome, context, common);
  }
}

/** Nothing where there was one: then nobody waited for another. */
function inAttempts({ attempts }: Outcome): string {
  return attempts > 1 ? ` in ${attempts} attempts` : '';
}

function unknownError(
  outcome: Extract<Outcome, { kind: 'unknown' }>,
  context: OutcomeContext,
  common: object,
): CliError {
  const status = outcome.status ?? undefined;
  if (context.class !== 'read') {
    const id = context.recordId;
    const settle =
      id === null
        ? 'its record is gone: look in the store before you run the command again'
        : `settle it with \`storectl resume ${id}\` before you run the command again`;
    return new CliError({
      ...common,
      code: 'outcome_unknown',
      exitCode: exitCodes.unknown,
      message: `the request was sent and no answer proves what became of it (${describeDoubt(outcome)}): it may have been applied`,
      hint: whenToTryAgain(settle, outcome.retryAt, context.now),
      status,
    });
  }
  const what = printable(outcome.problem?.message ?? outcome.failure.message);
  // If the attempts are used up, or the user did not want to wait, that is the reason.
  const hasToWait =
    outcome.retryAt !== null && outcome.attempts < MAX_ATTEMPTS && outcome.failure.code !== 'cancelled';
  if (hasToWait) {
    return new CliError({
      ...common,
      code: 'throttled',
      exitCode: exitCodes.throttled,
      message: `the service asks to wait, for longer than this command may take: ${what}`,
      hint: whenToTryAgain('run the command again', outcome.retryAt, context.now),
      status,
    });
  }
  return new CliError({
    ...common,
    code: outcome.failure.code,
    exitCode: outcome.failure.code === 'cancelled' ? exitCodes.cancelled : exitCodes.notApplied,
    message: `no answer from the service${inAttempts(outcome)}: ${what}`,
    hint: `reading changes nothing, so ${whenToTryAgain('run the command again', outcome.retryAt, context.now)}`,
    status,
  });
}

/** What is in doubt, and the last answer if that was another one. */
function describeDoubt({ failure, status, problem }: Extract<Outcome, { kind: 'unknown' }>): string {
  if (problem === null || failure.message.includes(problem.message)) return printable(failure.message);
  const answer = problem.message.startsWith('HTTP ') ? problem.message : `HTTP ${status}: ${problem.message}`;
  return printable(`${failure.message}; the last answer was ${answer}`);
}

/** Names the missing object. Null for another status, or if the answer may come from a gateway. */
function notFoundMessage(status: number, { code }: Problem, subject: Subject | undefined): string | null {
  if (subject === undefined || !code?.endsWith('not_found') || (status !== 404 && status !== 410))
    return null;
  const { object, storeId } = subject;
  return object === null
    ? `store ${storeId} not found, or the key is not for it`
    : `${object} not found in store ${storeId}`;
}

/** The fields that the service objects to, with the flag that sets each. */
function describeFields(problem: Problem, flags: readonly FieldFlag[]): FieldError[] {
  return problem.fields.map(({ path, detail }) => ({
    field: printable(path),
    flag: flagOf(flags, path),
    detail: printable(detail),
  }));
}

const anotherKey =
  'the key was used for another request: give another one; in CI, STORECTL_CI_JOB tells several of one job apart';

function hintOfStatus(
  status: number,
  retryAt: number | null,
  { keyVariable, subject, now }: OutcomeContext,
): string {
  const key = keyVariable === null ? 'the key' : `the key in ${keyVariable}`;
  if (status === 401) {
    const replace =
      keyVariable === null
        ? 'run `storectl auth login` with a new one'
        : 'set a new one, or unset the variable';
    return `${key} is not valid here: ${replace}, then run the command again`;
  }
  if (status === 403) return `${key} may not do this: use a key with the scope for it`;
  if (status === 404 || status === 410) {
    return subject?.object === null
      ? 'check the store id, or use a key for this store; `storectl auth status` shows both'
      : 'check the id and the store; `storectl auth status` shows which store is used';
  }
  if (status === 409 || status === 412) return 'look at what is there now before you try again';
  if (status === 425 || status === 429) {
    return retryAt === null
      ? 'run the command again later'
      : whenToTryAgain('run the command again', retryAt, now);
  }
  if (status === 422 || status === 400) return 'correct the input and run the command again';
  if (status === 413) return 'send less: the service takes no input of this size';
  return '`storectl auth status` shows which service is asked, and --debug its whole answer';
}

/** `again`, and after what time where the service has said one (epoch milliseconds). */
function whenToTryAgain(again: string, retryAt: number | null, now: number): string {
  if (retryAt === null) return again;
  const time = new Date(retryAt).toISOString();
  return `${again} after ${formatTime(time, now)} (${time})`;
}
