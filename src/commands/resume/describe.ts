import { type ItemResult, makeResult, resultOfError } from '../../cli/batch/item-result.ts';
import type { Session } from '../../cli/command/session.ts';
import { CliError, type Step } from '../../cli/core/errors.ts';
import { outcomeError } from '../../cli/operation/result/outcome-error.ts';
import { recordSummary } from '../../cli/output/record-summary.ts';
import type { ProofResult } from '../../history/changes/change-result.ts';
import type { previewResume } from '../../history/changes/plan-resume.ts';
import type { ResumeResult } from '../../history/changes/resume.ts';
import type { OpenReason } from '../../history/decision.ts';
import { type HistoryRecord, receivedBody } from '../../history/record/history-record.ts';

export const changeWords = {
  one: 'change',
  many: 'changes',
  applied: 'applied',
  isEarlier: true,
  exists: 'already settled',
  again: null,
} as const;

const proofResults: Readonly<Record<ProofResult, string>> = {
  applied: 'the store has it',
  untouched: 'the store does not have it so far; the request may still be in progress',
  other: 'the store has something else than was sent',
  unanswered: 'the store could not be read',
};

const mark = (id: string): readonly Step[] => [
  { say: 'look at the store' },
  { run: ['resume', id, '--mark', 'applied'], rest: 'or `--mark not-applied`' },
];

/** Why a change stays open. */
const reasons: Readonly<Record<OpenReason, string>> = {
  running: 'another storectl command is working on it',
  too_old: 'sent more than 20 hours ago, so it is sent again only after a yes',
  needs_yes: 'a restore replaces what was changed since, so it is resumed by its id only',
  later_change: 'sending it again could overwrite a later change',
  not_settled: 'could not be settled',
  ask_user: 'the service cannot be asked, and sending it again could do it twice',
  request_lost: 'its request was lost in a damaged log',
};

/** What the user can do about a change that stays open. `id` is the change's, or `ID` for several. */
function remedyOf(reason: OpenReason, id: string): readonly Step[] {
  switch (reason) {
    case 'running':
      return [];
    case 'too_old':
      return [{ run: ['resume', id], rest: 'in a terminal, which asks whether to send it' }, ...mark(id)];
    case 'needs_yes':
      return [{ run: ['resume', id], rest: 'to restore now, after a new safety backup' }];
    case 'not_settled':
      return [
        { run: ['resume', id], rest: 'again in a few minutes' },
        {
          run: ['resume', id, '--mark', 'not-applied'],
          rest: 'if the store does not have it then either, and do it again',
        },
      ];
    default:
      return mark(id);
  }
}

/** What `resume` would do, without sending anything. */
const previews: Readonly<Record<string, string>> = {
  reported: 'its outcome is known and would be reported',
  superseded: 'no longer matters: a later change was applied',
  ask_service: 'the service would be asked, and it may be sent again',
  send: 'would be sent again',
};

/** What `resume` would do about a change, or why it would leave the change open. */
export function describePlan(plan: ReturnType<typeof previewResume>): string {
  return previews[plan] ?? `left open: ${reasons[plan as OpenReason]}`;
}

/** The result of an open change. `id` is for its next steps: the id of the change, or `ID` for several changes. */
export function resultOfResumed(session: Session, resumed: ResumeResult, id: string): ItemResult {
  const { record } = resumed;
  if (resumed.action === 'left_open' && resumed.reason === 'no_safety_backup') {
    const { outcome, recordingError, record: backup } = resumed.safetyBackup;
    const message =
      outcome.kind === 'applied' && recordingError !== null
        ? `safety backup ${backup.id} was taken, but nothing was restored: ${recordingError.message}`
        : `the safety backup (${backup.id}) failed, so nothing was restored`;
    return makeResult('unknown', { record, code: 'no_safety_backup', message });
  }
  if (resumed.action === 'superseded')
    return makeResult('exists', {
      record,
      message: `no longer matters, because ${record.supersededBy} was applied later`,
    });
  if (resumed.action === 'left_open') {
    const { reason, laterChange, proofResult } = resumed;
    const found = proofResult === undefined ? '' : `: ${proofResults[proofResult]}`;
    const message = `${reasons[reason]}${laterChange === undefined ? '' : ` (${laterChange.id})`}${found}`;
    return makeResult('unknown', { record, code: reason, message, remedy: remedyOf(reason, id) });
  }
  const { outcome } = resumed;
  if (outcome.kind === 'applied') {
    return makeResult('applied', { record, requestId: outcome.requestId });
  }
  const { id: recordId, operation, class: operationClass, profile, baseUrl } = record;
  const error = outcomeError(session, outcome, {
    class: operationClass,
    operation,
    recordId,
    profile,
    baseUrl,
  });
  const result = resultOfError(new CliError({ ...error.failure, fields: undefined }), record);
  if (result.outcome === 'unknown') return { ...result, remedy: error.failure.next ?? [] };
  // A refusal, or a request that was never sent, ends this record, and does not stop the others.
  const { outcome: ended, stop } = result;
  const isStop = ended === 'not_sent';
  return {
    ...result,
    outcome: isStop ? 'failed' : ended,
    stop: isStop ? undefined : stop,
    message: `not applied: ${result.message}`,
  };
}

/** Says how many outcomes were known before, so that nothing was sent. Empty for none. */
export function describeReported(actions: readonly ResumeResult['action'][]): string[] {
  const before = actions.filter((action) => action === 'reported').length;
  if (before === 0) return [];
  if (before < actions.length) return [`${before} outcomes were known before; nothing was sent for these.`];
  return [`${before === 1 ? 'Its outcome was' : 'All outcomes were'} known before; nothing was sent.`];
}

const appliedBefore = 'was applied before; nothing was sent';

/** The cells that identify a change, and the id of the object that it made. */
export function cellsOf(record: HistoryRecord, result: ItemResult): string[] {
  const { operation, label } = recordSummary(record);
  const cells = [record.id, operation, label ?? ''];
  const created = result.outcome === 'applied' ? createdId(result.record) : null;
  return created === null ? cells : [...cells, created];
}

/** The id of the object that an applied change made, or null. */
export function createdId(record: HistoryRecord | null): string | null {
  const { id } = Object(record && receivedBody(record));
  return typeof id === 'string' ? id : null;
}

/** A change, as `--json` prints it. */
export function documentOfChange(
  found: HistoryRecord,
  result: ItemResult,
  action: ResumeResult['action'] | null,
) {
  const record = result.record ?? found;
  const { operation, label, state, attempts } = recordSummary(record);
  return {
    id: record.id,
    operation,
    label,
    action,
    reason: result.code !== null && Object.hasOwn(reasons, result.code) ? result.code : null,
    state,
    attempts,
    result: state === 'applied' ? receivedBody(record) : null,
    message: action === 'reported' && state === 'applied' ? appliedBefore : result.message,
  };
}
