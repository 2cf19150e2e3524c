import { nearName } from '../../../base/nearest-name.ts';
import { hintOfVersion } from '../../../client/base-url.ts';
import type { Outcome, Problem } from '../../../client/outcome/outcome.ts';
import { isRateLimit, MAX_ATTEMPTS, retryTable, rowOfStatus } from '../../../client/outcome/retry.ts';
import type { OperationClass } from '../../../contract/operation.ts';
import { servedOperations } from '../../../contract/operations/operations.ts';
import type { Session } from '../../command/session.ts';
import { keyVariable } from '../../config/api-key.ts';
import { firstProfile, quoteLogin } from '../../config/connection-settings.ts';
import {
  CliError,
  cancelledError,
  type Failure,
  type FieldError,
  fixInput,
  type Step,
} from '../../core/errors.ts';
import { exitCodeOfStatus, exitCodes } from '../../core/exit-codes.ts';
import { printable } from '../../core/sanitize.ts';
import type { FieldFlag } from '../../input/field-flags.ts';
import { flagOf } from '../../input/request-body.ts';

/** What an error says besides the outcome. Without a class, the request was a read. */
export interface Sent {
  readonly class?: OperationClass;
  readonly fields?: readonly FieldFlag[];
  /** Id of the history record. */
  readonly recordId?: string | undefined;
  /** The environment variable with the API key, or null. By default the one that is set. */
  readonly keyVariable?: string | null;
  /** The profile in use. */
  readonly profile?: string;
  /** The base URL in use, without a trailing slash. */
  readonly baseUrl?: string;
  /** The operation of the request, which names the scope that its key needs. */
  readonly operation?: string;
  /** The object for "not found". Without it, the words of the service are shown. */
  readonly subject?: Subject;
}

/** The object of a request. */
export interface Subject {
  /** `Dispute 4b…`, or null for the store itself. */
  readonly object: string | null;
  /** The command that lists such objects. */
  readonly list?: readonly string[];
  readonly storeId: string;
}

/** The error for an outcome other than `applied`: exit code, what happened, and what to do next. */
export function outcomeError(
  { io }: Pick<Session, 'io'>,
  outcome: Exclude<Outcome, { kind: 'applied' }>,
  sent: Sent = {},
): CliError {
  return new CliError({
    // A read changes nothing, so its outcome is `not_sent` for the user.
    outcome: isRead(sent) ? 'not_sent' : outcome.kind,
    requestId: outcome.requestId ?? undefined,
    operationId: sent.recordId ?? undefined,
    ...(outcome.retryAt !== null && { retryAt: new Date(outcome.retryAt).toISOString() }),
    ...outcomeFailure(outcome, { keyVariable: keyVariable(io.env), ...sent }),
  });
}

function outcomeFailure(outcome: Exclude<Outcome, { kind: 'applied' }>, sent: Sent): Failure {
  switch (outcome.kind) {
    case 'rejected':
      return rejected(outcome, sent);
    case 'not_sent':
      return notSent(outcome);
    case 'unknown':
      return isRead(sent) ? unread(outcome) : inDoubt(outcome, sent);
  }
}

const isRead = (sent: Sent) => (sent.class ?? 'read') === 'read';

function rejected({ problem, status, retryAt }: Extract<Outcome, { kind: 'rejected' }>, sent: Sent): Failure {
  const { subject, fields: flags = [] } = sent;
  const code = problem.code ? ` ${printable(problem.code)}` : '';
  const said = printable(problem.message);
  const missing = notFoundClause(status, problem, subject);
  // The next step says when to try again, so the words of the service are left out.
  const isLimit = isRateLimit(status, retryAt !== null);
  const hasWaited = isLimit && retryAt !== null;
  const fields = missing === null && !hasWaited ? describeFields(problem, flags) : [];
  return {
    code: problem.code ?? `http_${status}`,
    reason: problem.message,
    exitCode: isLimit ? exitCodes.throttled : exitCodeOfStatus(status),
    what:
      missing ??
      (hasWaited
        ? `the service got too many requests (${status}${code})`
        : status < 400
          ? `the service returned ${said}`
          : `the service rejected the request (${status}${code}): ${said}`),
    next: nextOfCode(problem.code, sent) ?? nextOfStatus(status, retryAt, sent),
    status,
    fields: fields.length > 0 ? fields : undefined,
  };
}

function notSent(outcome: Extract<Outcome, { kind: 'not_sent' }>): Failure {
  const { failure, retryAt } = outcome;
  if (failure.code === 'cancelled') return cancelledError().failure;
  if (failure.code === 'throttled') {
    return {
      code: 'throttled',
      exitCode: exitCodes.throttled,
      what: printable(failure.message),
      next: [{ again: true, after: retryAt }],
    };
  }
  return {
    code: failure.code,
    exitCode: exitCodes.notApplied,
    what: `the service could not be reached${inAttempts(outcome)}: ${printable(failure.message)}`,
    next: [{ say: 'check the base URL and the network' }, { again: true }],
  };
}

type Unknown = Extract<Outcome, { kind: 'unknown' }>;

function inDoubt(outcome: Unknown, sent: Sent): Failure {
  const reason = describeDoubt(outcome);
  return {
    code: 'outcome_unknown',
    reason,
    exitCode: exitCodes.unknown,
    what: `the request was sent, but it is in doubt whether it was applied: ${reason}`,
    next: nextInDoubt(outcome, sent),
    status: outcome.status ?? undefined,
  };
}

/** The next steps of a change in doubt: `resume`. A one-shot change must not be sent by a second command before that. */
function nextInDoubt({ status, retryAt }: Unknown, { recordId, class: how }: Sent): readonly Step[] {
  if (recordId === undefined)
    return [{ say: 'its history record is missing: check the store before you run the command again' }];
  const run = ['resume', recordId];
  if (how === 'one-shot') return [{ run, rest: 'before you run the command again', after: retryAt }];
  const rest = retryAt !== null ? '' : status === null ? 'when the service answers again' : 'later';
  return [{ say: 'the change is still open' }, { run, rest, after: retryAt }];
}

/** The failure of a read without a readable response. */
function unread(outcome: Unknown): Failure {
  const { failure, problem, retryAt, attempts } = outcome;
  const again = { again: true, after: retryAt } as const;
  const status = outcome.status ?? undefined;
  if (failure.code === 'cancelled') return cancelledError().failure;
  // There were attempts left, but the wait that the service asked for passes the deadline.
  if (retryAt !== null && attempts < MAX_ATTEMPTS) {
    const reason = printable(problem?.message ?? failure.message);
    const what = `the service asks to wait longer than --timeout allows: ${reason}`;
    return { code: 'throttled', exitCode: exitCodes.throttled, what, next: [again], status };
  }
  return {
    code: failure.code,
    exitCode: exitCodes.notApplied,
    what:
      status === undefined
        ? `no response from the service${inAttempts(outcome)}: ${printable(failure.message)}`
        : printable(failure.message) + (attempts > 1 ? ` (${attempts} attempts)` : ''),
    next: failure.code === 'unreadable_body' ? checkBaseUrl : [again],
    status,
  };
}

/** The next steps if an idempotency key was used for another request. */
export const anotherKey: readonly Step[] = [
  { say: 'use another idempotency key, or repeat the earlier command exactly' },
  { say: 'in CI, set STORECTL_CI_JOB to another value for each command of a job' },
];

const checkBaseUrl: readonly Step[] = [
  { say: 'check the base URL' },
  { run: ['auth', 'status'], rest: 'to see which is used' },
];

/** Empty for a single attempt. */
function inAttempts({ attempts }: Outcome): string {
  return attempts > 1 ? ` in ${attempts} attempts` : '';
}

/** Why the outcome is unknown, with the last response if that is not the reason itself. */
function describeDoubt({ failure, status, problem }: Unknown): string {
  const isRefusal = status !== null && retryTable[rowOfStatus(status)].ends === 'rejected';
  const isOwn = ['server_error', 'redirected', 'in_progress'].includes(failure.code) && !isRefusal;
  if (problem === null || isOwn) return printable(failure.message);
  return printable(`${failure.message}; last response (${status}): ${problem.message}`);
}

/** The clause for an object that does not exist. Null for another status, or if the response may be that of a gateway. */
function notFoundClause(status: number, { code }: Problem, subject: Subject | undefined): string | null {
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

function nextOfCode(code: string | null, sent: Sent): readonly Step[] | null {
  if (code === 'idempotency_key_reused') return anotherKey;
  const scope = code === 'insufficient_scope' ? scopeOf(sent.operation) : undefined;
  if (scope !== undefined) return [{ say: useKey(`with the scope ${scope}`, sent) }];
  const slug = code === 'slug_taken' ? flagOf(sent.fields ?? [], 'slug') : null;
  return slug === null ? null : [{ say: `choose another slug with ${slug}` }];
}

/** The scope that this repository's service wants for an operation. */
function scopeOf(operation: string | undefined): string | undefined {
  return servedOperations.find(({ id }) => id === operation)?.service.scope;
}

function useKey(which: string, { keyVariable: variable = null, profile = firstProfile }: Sent): string {
  const how = variable === null ? `run ${quoteLogin(profile)} with it` : `set it in ${variable}`;
  return `use a key ${which}: ${how}`;
}

function nextOfStatus(status: number, retryAt: number | null, sent: Sent): readonly Step[] {
  const { keyVariable: variable = null, profile = firstProfile, baseUrl = '', subject } = sent;
  const key = variable === null ? 'the key' : `the key in ${variable}`;
  if (isRateLimit(status, retryAt !== null)) return [{ again: true, after: retryAt }];
  if (status === 401) {
    const replace =
      variable === null
        ? `run ${quoteLogin(profile)} with a new one`
        : 'set a new one, or unset the variable';
    return [{ say: `${key} is wrong, expired or revoked: ${replace}` }, { again: true }];
  }
  if (status === 403) return [{ say: useKey('that may do this', sent) }];
  if (status === 404 || status === 410) {
    const version = hintOfVersion(status, baseUrl);
    const check =
      subject?.object === null
        ? 'check the store id and the base URL, and that the key is for this store'
        : 'check the id, the store and the base URL';
    const more: Step =
      subject?.list === undefined
        ? { run: ['auth', 'status'], rest: 'to see which are used' }
        : { run: subject.list, rest: 'to see known ids' };
    return [{ say: check }, version === null ? more : { say: version }];
  }
  if (status === 409 || status === 412) return [{ say: 'check the current state before you try again' }];
  if (status === 422 || status === 400) return fixInput;
  if (status === 413)
    return [{ say: 'send less at once: the service, or a gateway in front of it, has a limit' }];
  if (status === 426)
    return [{ say: 'the server requires another protocol than HTTP/1.1: contact its operator' }];
  return status >= 300 && status < 400
    ? checkBaseUrl
    : [...checkBaseUrl, { say: 'add --debug to see the whole response' }];
}
