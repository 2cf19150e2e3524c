import { type ItemResult, makeResult } from '../../../cli/batch/item-result.ts';
import { CliError, WentBack } from '../../../cli/core/errors.ts';
import { line, shorten } from '../../../cli/core/sanitize.ts';
import type { Result, Run } from '../../../cli/operation/call/run.ts';
import { askInto, explainRefusal } from '../../../cli/operation/questions/ask-missing.ts';
import { refuseEarlier } from '../../../cli/operation/send/send.ts';
import { askKey, type KeyChoice } from '../../../cli/prompts/prompts.ts';
import { askEach, explainKeys, type Question } from '../../../cli/prompts/questions.ts';
import { decisions } from '../../../contract/operations/disputes.ts';
import { confirmAndDecide, expectedStatus, showCaseFile } from '../dispute/decide-one.ts';
import { type Decision, readDispute } from '../dispute/dispute-status.ts';
import { decisionFields } from './plan-by-hand.ts';
import { runFor } from './rows.ts';

/** `stop` if the user wants to decide no more. */
export async function decideNext(
  run: Run,
  heading: readonly string[],
  plan: Decision | null,
): Promise<ItemResult | 'stop'> {
  const { ui } = run;
  await refuseEarlier(run, {});
  const dispute = await readDispute(run);
  const { status } = dispute.record;
  if (status !== expectedStatus(run)) return makeResult('exists', { message: `already ${String(status)}` });
  ui.notice('');
  for (const text of heading) ui.notice(line`${text}`, 'bold');
  showCaseFile(run, dispute);
  const decided = await askDecision(run, plan);
  if (decided === 'stop') return 'stop';
  if (decided === 'skip') return makeResult('skipped');
  const message = `as ${decided.status}`;
  return decided.result.record === null
    ? makeResult('exists', { message: `already decided ${message}` })
    : makeResult('applied', { record: decided.result.record, message });
}

/** The key of each usual status. */
const keyOf: Readonly<Record<string, string>> = { won: 'w', lost: 'l', withdrawn: 'd' };

const keyOfPlan = 'y';
const differently = '#differently';
const skip = '#skip';
const stop = '#stop';

/** What a case is asked: the planned decision first, then the others. */
function keysFor(plan: Decision | null): KeyChoice[] {
  const usual = decisions.filter((status) => status !== plan?.status);
  const planned =
    plan === null
      ? []
      : [
          {
            key: keyOf[plan.status] ?? keyOfPlan,
            value: plan.status,
            name: `${plan.status}, as planned: ${shorten(plan.resolution.replace(/\s+/g, ' '), 50)}`,
          },
        ];
  return [
    ...planned,
    ...usual.map((status) => ({ key: keyOf[status] ?? '', value: status, name: status })),
    { key: 'o', value: differently, name: 'other status or resolution' },
    { key: 's', value: skip, name: 'skip this dispute' },
    { key: 'q', value: stop, name: 'stop here' },
  ];
}

interface Decided {
  readonly status: string;
  readonly result: Result;
}

/**
 * Asks for the decision of a dispute whose case file is shown, and records it: as planned by one key, else confirmed with the
 * id. Escape goes back one question; a value that the service refuses is asked for again.
 */
async function askDecision(run: Run, plan: Decision | null): Promise<Decided | 'skip' | 'stop'> {
  const { ui, session } = run;
  const keys = keysFor(plan);
  const body: Record<string, unknown> = {};
  const own = runFor(run, run.request.parameters.disputeId ?? '', body);
  for (;;) {
    try {
      const key = await askKey(ui.io, 'Your decision?', keys);
      if (key === skip) return 'skip';
      if (key === stop) return 'stop';
      if (plan !== null && key === plan.status) {
        const planned = runFor(run, run.request.parameters.disputeId ?? '', { ...plan });
        return {
          status: plan.status,
          result: await confirmAndDecide(planned, { isShown: true, isPlanned: true }),
        };
      }
      if (key !== differently) body.status = key;
      const result = await askForOther(own, body, key === differently);
      return { status: String(body.status), result };
    } catch (error) {
      if (error instanceof WentBack) continue;
      if (!isRefusedValue(error)) throw error;
      explainRefusal(ui, session, error);
    }
  }
}

/** The questions of a single decision: its status if no key has said it, the resolution, and the id to confirm it. */
async function askForOther(run: Run, body: Record<string, unknown>, asksStatus: boolean): Promise<Result> {
  const { ui } = run;
  const results: Result[] = [];
  const fields = decisionFields.filter(({ path }) => asksStatus || path[0] !== 'status');
  const questions: Question[] = [
    // Another service may know other outcomes than those that have a key.
    ...fields.map((field) => () => askInto(ui, body, field, { isWhole: false })),
    async () => {
      results.push(await confirmAndDecide(run, { isShown: true }));
    },
  ];
  explainKeys(ui);
  await askEach(() => questions);
  const [result] = results;
  if (result === undefined) throw new WentBack();
  return result;
}

/** Whether another answer may help: the service refused a value, or it is not valid. */
function isRefusedValue(error: unknown): error is CliError {
  if (!(error instanceof CliError)) return false;
  const { outcome, status, code } = error.failure;
  return code === 'invalid_input' || (outcome === 'rejected' && (status === 400 || status === 422));
}
