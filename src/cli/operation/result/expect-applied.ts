import type { Applied, Outcome } from '../../../client/outcome/outcome.ts';
import { nounOf, type Operation } from '../../../contract/operation.ts';
import type { RecordedChange } from '../../../history/changes/change-result.ts';
import type { HistoryRecord } from '../../../history/record/history-record.ts';
import type { Ui } from '../../command/ui.ts';
import { CliError } from '../../core/errors.ts';
import { exitCodes } from '../../core/exit-codes.ts';
import { line } from '../../core/sanitize.ts';
import { idParameter } from '../../input/path-parameter.ts';
import { fieldsToNameByFlag } from '../../input/request-body.ts';
import type { OperationRequest, Result, Run } from '../call/run.ts';
import { differencesFromSent } from './compare-response.ts';
import { outcomeError, type Subject } from './outcome-error.ts';

/** The outcome if it is `applied`. Throws the user's error for any other. */
export function expectApplied(run: Run, outcome: Outcome, record: HistoryRecord | null): Applied {
  if (outcome.kind !== 'applied') throw errorOfRun(run, outcome, record);
  noteDrift(run.ui, outcome);
  return outcome;
}

/** The user's error for an outcome that is not `applied`. */
export function errorOfRun(
  { target, request, session, fields, parsed }: Run,
  outcome: Exclude<Outcome, { kind: 'applied' }>,
  record: HistoryRecord | null,
): CliError {
  return outcomeError(session, outcome, {
    class: request.operation.class,
    operation: request.operation.id,
    fields: fieldsToNameByFlag(fields, parsed),
    recordId: record?.id,
    profile: target.profile,
    baseUrl: target.baseUrl,
    subject: { ...objectOf(request), storeId: target.storeId },
  });
}

/** The object in the path, such as `dispute 4b…`, and the command that lists such objects. */
function objectOf({ operation, parameters }: OperationRequest): Omit<Subject, 'storeId'> {
  const name = idParameter(operation);
  if (name === undefined) return { object: null };
  const [noun = ''] = operation.id.split('.');
  return { object: `${nounOf(name)} ${parameters[name]}`, list: [noun, 'list'] };
}

/** The error for a response to a read that is not an object: it must not look like an empty object. */
export function unreadableResponse(operation: Operation): CliError {
  return new CliError({
    code: 'unreadable_answer',
    exitCode: exitCodes.notApplied,
    what: `the service accepted ${operation.id}, but its response is not the expected one`,
    next: [{ say: 'check the base URL, or add --debug to see the response' }],
    outcome: 'not_sent',
  });
}

/** The result of a change that was applied. Throws the user's error for any other outcome. */
export function resultOfChange(
  run: Run,
  { record, outcome, isEarlier }: Omit<RecordedChange, 'kind'>,
): Result {
  const applied = expectApplied(run, outcome, record);
  noteOtherValues(run, applied);
  return { ...resultOfResponse(applied, record), isEarlier };
}

export function resultOfResponse({ body, text, etag }: Applied, record: HistoryRecord | null): Result {
  return { response: body, text, etag, record };
}

/** Prints the fields for which the service has other values than were sent. The change was applied, so this is not an error. */
function noteOtherValues({ request, ui }: Run, { body }: Applied): void {
  for (const difference of differencesFromSent(request.body, body)) ui.notice(line`${difference}`, 'yellow');
}

/** Prints where the response differs from the contract: a warning, because the user still gets the response. */
export function noteDrift({ noticeOnce }: Ui, { drift }: Applied): void {
  for (const one of drift) noticeOnce(line`unexpected response: ${one}`, 'yellow');
}
