import { nearName } from '../../../base/nearest-name.ts';
import { hintOfVersion } from '../../../client/base-url.ts';
import type { Outcome, Problem } from '../../../client/outcome.ts';
import { MAX_ATTEMPTS } from '../../../client/retry.ts';
import type { OperationClass } from '../../../contract/operation.ts';
import type { Context } from '../../command/context.ts';
import { maxTimeoutSeconds } from '../../command/global-flags.ts';
import { firstProfile, keyVariable, loginCommand } from '../../config/connection-settings.ts';
import {
  CliError,
  cancelledError,
  type ErrorDetails,
  type FieldError,
  type Phrase,
  phrase,
  toRun,
} from '../../core/errors.ts';
import { exitCodeOfStatus, exitCodes } from '../../core/exit-codes.ts';
import { printable } from '../../core/sanitize.ts';
import type { FieldFlag } from '../../input/field-flags.ts';
import { flagOf } from '../../input/request-body.ts';
import { formatTime } from '../../output/format-value.ts';

/** What an error about an outcome says besides the outcome. Without it, the request was a read. */
export interface Sent {
  readonly class?: OperationClass;
  readonly fields?: readonly FieldFlag[];
  /** Id of the history record, or null for none. */
  readonly recordId?: string | null;
  /** The environment variable that supplied the key, or null. Default: the one that is set. */
  readonly keyVariable?: string | null;
  /** The profile in use, whose key was refused. */
  readonly profile?: string;
  /** The base URL in use, without a trailing slash. */
  readonly baseUrl?: string;
  /** What "not found" is about; without it the service's own words are shown. */
  readonly subject?: Subject;
}

type OutcomeContext = Required<Omit<Sent, 'subject'>> & {
  readonly subject?: Subject;
  /** Epoch milliseconds. */
  readonly now: number;
};

/** What a request is about. */
interface Subject {
  /** `Dispute 4b…`, or null for the store itself. */
  readonly object: string | null;
  readonly storeId: string;
}

/** The error for an outcome other than `applied`: exit code, what happened, and what to do next. */
export function outcomeError(
  { io, now }: Pick<Context, 'io' | 'now'>,
  outcome: Exclude<Outcome, { kind: 'applied' }>,
  sent: Sent = {},
): CliError {
  const variable = keyVariable(io.env);
  const defaults = {
    class: 'read',
    fields: [],
    recordId: null,
    keyVariable: variable,
    profile: firstProfile,
    baseUrl: '',
  } as const;
  const context: OutcomeContext = { ...defaults, ...sent, now: now() };
  return new CliError({
    outcome: outcome.kind,
    requestId: outcome.requestId ?? undefined,
    operationId: context.recordId ?? undefined,
    ...(outcome.retryAt !== null && { retryAt: new Date(outcome.retryAt).toISOString() }),
    ...detailsOf(outcome, context),
  });
}

function detailsOf(outcome: Exclude<Outcome, { kind: 'applied' }>, context: OutcomeContext): ErrorDetails {
  switch (outcome.kind) {
    case 'rejected':
      return rejectedDetails(outcome, context);
    case 'not_sent':
      return notSentDetails(outcome, context);
    case 'unknown':
      return context.class === 'read' ? unreadDetails(outcome, context) : unknownDetails(outcome, context);
  }
}

function rejectedDetails(
  { problem, status, retryAt }: Extract<Outcome, { kind: 'rejected' }>,
  context: OutcomeContext,
): ErrorDetails {
  const fields = describeFields(problem, context.fields);
  const code = problem.code ? ` ${printable(problem.code)}` : '';
  const said = printable(problem.message).replace(/(?<!\.)\.$/, '');
  const refused = said.startsWith(`HTTP ${status}`)
    ? `the service returned ${said}`
    : `the service rejected the request (${status}${code}): ${said}`;
  const what =
    notFoundMessage(status, problem, context.subject) ??
    // The service's own words would say a second time when to try again.
    (isRateLimit(status) && retryAt !== null
      ? `the service got too many requests (${status}${code})`
      : refused);
  return {
    code: problem.code ?? `http_${status}`,
    reason: problem.message,
    exitCode: exitCodeOfStatus(status),
    what,
    message: what === refused ? withFieldLines(what, fields, ({ flag }) => flag) : what,
    hint: hintOfCode(problem.code, context.fields) ?? hintOfStatus(status, retryAt, context),
    status,
    fields: fields.length > 0 ? fields : undefined,
  };
}

/** A clause, with a line for each field, which is called by its `nameOf` or else by its path. */
export function withFieldLines(
  what: string,
  fields: readonly FieldError[],
  nameOf: (field: FieldError) => string | null,
): string {
  const lines = fields.map(
    (one) => `  ${nameOf(one) ?? (one.field === '' ? 'the request' : one.field)}: ${one.detail}`,
  );
  return [what, ...lines].join('\n');
}

function notSentDetails(
  outcome: Extract<Outcome, { kind: 'not_sent' }>,
  { now }: OutcomeContext,
): ErrorDetails {
  const { failure, retryAt } = outcome;
  if (failure.code === 'cancelled') return cancelledError().details;
  if (failure.code === 'throttled') {
    return {
      code: 'throttled',
      exitCode: exitCodes.throttled,
      message: `${printable(failure.message)}; nothing was sent`,
      hint: whenToTryAgain('run the command again', retryAt, now),
    };
  }
  return {
    code: failure.code,
    exitCode: exitCodes.notApplied,
    message: `the service could not be reached${inAttempts(outcome)}: ${printable(failure.message)}`,
    hint: 'nothing was sent; check the base URL and the network, then run the command again',
  };
}

type Unknown = Extract<Outcome, { kind: 'unknown' }>;

function unknownDetails(outcome: Unknown, context: OutcomeContext): ErrorDetails {
  return {
    code: 'outcome_unknown',
    exitCode: exitCodes.unknown,
    message: `the request was sent, but its outcome is unknown: ${describeDoubt(outcome)}`,
    hint: hintOfUnknown(outcome, context),
    status: outcome.status ?? undefined,
  };
}

/** What `resume` can send again may be sent by the same command, too; anything else must not be sent twice. */
function hintOfUnknown({ status, retryAt }: Unknown, context: OutcomeContext): Phrase {
  const { recordId, now } = context;
  if (recordId === null)
    return 'its history record is missing: check the store before you run the command again';
  const resume = phrase`run ${toRun('resume', recordId)}`;
  const when = status === null ? phrase`${resume} when the service answers again` : phrase`${resume} later`;
  if (context.class !== 'one-shot')
    return phrase`the change is still open: ${retryAt === null ? when : whenToTryAgain(resume, retryAt, now)}`;
  return retryAt === null
    ? phrase`${resume} before you run the command again`
    : phrase`before you run the command again, ${whenToTryAgain(resume, retryAt, now)}`;
}

/** A read whose answer did not come. */
function unreadDetails(outcome: Unknown, { now }: OutcomeContext): ErrorDetails {
  const { failure, problem, retryAt, attempts } = outcome;
  const again = whenToTryAgain('run the command again', retryAt, now);
  const status = outcome.status ?? undefined;
  if (failure.code === 'cancelled') return cancelledError('nothing was changed').details;
  // If the attempts are used up, or the user did not want to wait, that is the reason.
  if (retryAt !== null && attempts < MAX_ATTEMPTS) {
    const what = printable(problem?.message ?? failure.message);
    const message = `the service asks to wait longer than --timeout allows: ${what}`;
    return { code: 'throttled', exitCode: exitCodes.throttled, message, hint: again, status };
  }
  return {
    code: failure.code,
    exitCode: exitCodes.notApplied,
    message:
      status === undefined
        ? `no response from the service${inAttempts(outcome)}: ${printable(failure.message)}`
        : printable(failure.message) + (attempts > 1 ? ` (${attempts} attempts)` : ''),
    hint:
      failure.code === 'unreadable_body'
        ? phrase`nothing was changed; check the base URL (${toRun('auth', 'status')} shows it)`
        : phrase`nothing was changed; ${again}`,
    status,
  };
}

/** Empty for a single attempt. */
function inAttempts({ attempts }: Outcome): string {
  return attempts > 1 ? ` in ${attempts} attempts` : '';
}

/** Why the outcome is unknown, and the last answer if it says something else. */
function describeDoubt({ failure, status, problem }: Unknown): string {
  if (problem === null || failure.message.includes(problem.message)) return printable(failure.message);
  const answer = problem.message.startsWith('HTTP ') ? problem.message : `HTTP ${status}: ${problem.message}`;
  return printable(`${failure.message}; last response: ${answer}`);
}

/** Names the missing object. Null for another status, or if the answer may come from a gateway. */
function notFoundMessage(status: number, { code }: Problem, subject: Subject | undefined): string | null {
  if (subject === undefined || !code?.endsWith('not_found') || (status !== 404 && status !== 410))
    return null;
  const { object, storeId } = subject;
  return object === null
    ? `store ${storeId} not found, or the key is not for this store`
    : `${object} not found in store ${storeId}`;
}

/** The fields that the service objects to, with the flag that sets each. */
function describeFields(problem: Problem, flags: readonly FieldFlag[]): FieldError[] {
  const names = flags.map(({ path }) => path.join('.'));
  return problem.fields.map(({ path, detail }) => {
    const flag = flagOf(flags, path);
    const near = flag === null ? nearName(names, path) : null;
    const suggestion = near === null ? '' : ` (did you mean ${near}?)`;
    return { field: printable(path), flag, detail: `${printable(detail)}${suggestion}` };
  });
}

const anotherKey =
  'use another idempotency key; in CI, set STORECTL_CI_JOB to another value for each command of a job';

function hintOfCode(code: string | null, fields: readonly FieldFlag[]): string | null {
  if (code === 'idempotency_key_reused') return anotherKey;
  const slug = code === 'slug_taken' ? flagOf(fields, 'slug') : null;
  return slug === null ? null : `choose another slug with ${slug}`;
}

function hintOfStatus(
  status: number,
  retryAt: number | null,
  { keyVariable: variable, profile, baseUrl, subject, now }: OutcomeContext,
): Phrase {
  const key = variable === null ? 'the key' : `the key in ${variable}`;
  if (status === 401) {
    const replace =
      variable === null
        ? `run \`${loginCommand(profile)}\` with a new one`
        : 'set a new one, or unset the variable';
    return `${key} is wrong, expired or revoked: ${replace}, then run the command again`;
  }
  if (status === 403) return `use a key with the scope for this, instead of ${key}`;
  if (status === 404 || status === 410) {
    const what =
      subject?.object === null
        ? 'check the store id and the base URL, and that the key is for this store'
        : 'check the id, the store and the base URL';
    const version = hintOfVersion(status, baseUrl);
    return version === null
      ? phrase`${what} (${toRun('auth', 'status')} shows which are used)`
      : `${what}; ${version}`;
  }
  if (status === 409 || status === 412) return 'check the current state before you try again';
  if (isRateLimit(status)) {
    return retryAt === null
      ? 'run the command again later'
      : whenToTryAgain('run the command again', retryAt, now);
  }
  if (status === 422 || status === 400) return 'fix the input and run the command again';
  if (status === 405) return 'check the method and the path';
  if (status >= 300 && status < 400) return phrase`check the base URL (${toRun('auth', 'status')} shows it)`;
  if (status === 413) return 'the input is too large for the service: send less';
  return phrase`check the base URL with ${toRun('auth', 'status')}, or add --debug to see the whole response`;
}

function isRateLimit(status: number): boolean {
  return status === 425 || status === 429;
}

/** `again`, with the time to wait for if the service named one (epoch milliseconds), and how to wait for it. */
function whenToTryAgain(again: Phrase, retryAt: number | null, now: number): Phrase {
  if (retryAt === null) return again;
  const leftMs = retryAt - now;
  if (leftMs > 0 && leftMs < 60_000) return phrase`${again} in ${Math.ceil(leftMs / 1000)} s`;
  // Times are shown in minutes, and a minute too early is refused again.
  const minute = new Date(Math.ceil(retryAt / 60_000) * 60_000).toISOString();
  const hint = phrase`${again} after ${formatTime(minute, now) ?? minute}`;
  // A minute more, for the time that it takes to do so.
  const seconds = Math.ceil((retryAt - now) / 60_000) * 60 + 60;
  const canWait = retryAt > now && seconds <= maxTimeoutSeconds;
  return canWait ? phrase`${hint}, or add --timeout ${seconds} to wait until then` : hint;
}
