import { knownWords } from '../../cli/completion/known-values.ts';
import { CliError } from '../../cli/core/errors.ts';
import { exitCodes } from '../../cli/core/exit-codes.ts';
import { getPath } from '../../cli/core/field-path.ts';
import { isObject } from '../../cli/core/json-value.ts';
import { printable } from '../../cli/core/sanitize.ts';
import type { Run } from '../../cli/operation/run/run.ts';
import { perform } from '../../cli/operation/run/send.ts';
import { decideDispute, showDispute } from '../../contract/operations/disputes.ts';
import type { Decision } from './bulk/decisions-file.ts';

export const expectStatus = '--expect-status';

/** A dispute as it is now. */
export interface CurrentDispute {
  /** The whole answer: the record and its evidence. */
  readonly answer: unknown;
  readonly record: Record<string, unknown>;
}

/** Reads the dispute of a run. */
export async function readDispute(run: Run): Promise<CurrentDispute> {
  const { parameters } = run.request;
  const { answer } = await perform({ ...run, request: { operation: showDispute, parameters, body: null } });
  const found = getPath(answer, ['record']);
  const record = isObject(found) ? found : {};
  const { disputeId = '' } = parameters;
  if (typeof record.id === 'string' && record.id.toLowerCase() !== disputeId.toLowerCase()) {
    throw new CliError({
      code: 'wrong_dispute',
      exitCode: exitCodes.conflict,
      message: `the service answered with dispute ${printable(record.id)} and not with ${disputeId}: nothing was sent`,
      hint: 'decide neither before it is clear which is meant',
      outcome: 'not_sent',
    });
  }
  return { answer, record };
}

/** What makes one look twice at a status that is to be sent, or null. The contract leaves it open, so it may be right. */
export function unusualStatus(status: string): string | null {
  const usual = knownWords[decideDispute.id]?.status ?? [];
  if (usual.includes(status)) return null;
  return `the status "${status}" is unusual (${usual.join(', ')} are not): is it meant?`;
}

/** What a decision would do to a dispute: decide it, or nothing because it is decided so or otherwise already. */
export function judgeDispute(
  { record }: CurrentDispute,
  { status, resolution }: { readonly [Name in keyof Decision]: unknown },
  expected: string,
): 'decide' | 'already' | 'otherwise' {
  if (record.status === expected) return 'decide';
  return record.status === status && record.resolution === resolution ? 'already' : 'otherwise';
}

/** Why a dispute is not decided: it is not in the status that it may be decided from. */
export function describeOtherwise({ record }: CurrentDispute, expected: string): string {
  return `the dispute is ${printable(String(record.status))} and not ${expected}: nothing was sent`;
}

/** Exit 6 for a dispute in another status. */
export function unexpectedStatus(dispute: CurrentDispute, expected: string): CliError {
  return new CliError({
    code: 'unexpected_status',
    exitCode: exitCodes.conflict,
    message: describeOtherwise(dispute, expected),
    hint: 'it stays as it is shown above',
    outcome: 'not_sent',
    fields: [{ field: 'status', flag: expectStatus, detail: printable(String(dispute.record.status)) }],
  });
}
