import { asObject } from '../../../base/json.ts';
import { rememberObjects } from '../../../cli/command/known.ts';
import { CliError, type Step } from '../../../cli/core/errors.ts';
import { exitCodes } from '../../../cli/core/exit-codes.ts';
import { printable, shorten } from '../../../cli/core/sanitize.ts';
import type { Run } from '../../../cli/operation/call/run.ts';
import { errorOfRun, noteDrift, unreadableResponse } from '../../../cli/operation/result/expect-applied.ts';
import { askBeforeWrite } from '../../../cli/operation/send/read.ts';
import { decisions, showDispute } from '../../../contract/operations/disputes.ts';

export const expectStatus = '--expect-status';

/** A dispute as the service has it now. */
export interface CurrentDispute {
  /** The whole response: the record and its evidence. */
  readonly response: unknown;
  readonly record: Record<string, unknown>;
  /** When it was read, in epoch milliseconds. */
  readonly readAt: number;
}

/** Reads the dispute of a run. Throws what the service refuses as the user's error. */
export async function readDispute(run: Run): Promise<CurrentDispute> {
  const found = await askDispute(run);
  if (found.kind === 'refused') throw found.error;
  return found.dispute;
}

/** As {@link readDispute}, with a refusal as data. */
export async function askDispute(
  run: Run,
): Promise<
  | { readonly kind: 'read'; readonly dispute: CurrentDispute }
  | { readonly kind: 'refused'; readonly error: CliError }
> {
  const { parameters } = run.request;
  const reading = { ...run, request: { operation: showDispute, parameters, body: null } };
  const readAt = Date.now();
  const outcome = await askBeforeWrite(reading);
  if (outcome.kind !== 'applied') return { kind: 'refused', error: errorOfRun(reading, outcome, null) };
  noteDrift(run.ui, outcome);
  const response = outcome.body;
  const record = asObject(asObject(response).record);
  if (typeof record.status !== 'string') throw unreadableResponse(showDispute);
  await rememberObjects(run.session, 'dispute', [record]);
  return { kind: 'read', dispute: { response, record, readAt } };
}

export interface Decision {
  readonly status: string;
  readonly resolution: string;
}

/** Said before a final decision with a status that the service may not know; null for a usual one. */
export function remarkOn(status: unknown): string | null {
  if (decisions.some((usual) => usual === status)) return null;
  const usual = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(decisions);
  return `"${printable(String(status))}" is not ${usual}; the service may refuse it`;
}

/** Compares a decision with the dispute: it can be decided, already has this decision, or conflicts with it. */
export function compareDecision(
  { record }: CurrentDispute,
  { status, resolution }: { readonly [Name in keyof Decision]: unknown },
  expected: string,
): 'decide' | 'same' | 'conflict' {
  if (record.status === expected) return 'decide';
  return record.status === status && record.resolution === resolution ? 'same' : 'conflict';
}

/** Exit 6 for a dispute that does not have the expected status. `wanted` is the status of the decision. */
export function unexpectedStatus({ record }: CurrentDispute, expected: string, wanted?: unknown): CliError {
  const status = printable(String(record.status));
  const isFinal = decisions.some((decision) => decision === status);
  const next: Step[] = [{ run: ['disputes', 'show', String(record.id)], rest: 'to see it' }];
  return new CliError({
    code: 'unexpected_status',
    exitCode: exitCodes.conflict,
    what:
      record.status === wanted
        ? `already decided as ${status}, with another resolution: "${shorten(printable(String(record.resolution)), 60)}"`
        : isFinal
          ? `already decided as ${status}, which is final`
          : `the dispute is ${status}, not ${expected}`,
    next,
    outcome: 'not_sent',
    fields: [{ field: 'status', flag: expectStatus, detail: status }],
  });
}
