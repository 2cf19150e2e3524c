import { type ItemResult, makeResult, resultOfError } from '../../cli/batch/item-result.ts';
import type { Session } from '../../cli/command/session.ts';
import { CliError, type Step } from '../../cli/core/errors.ts';
import { outcomeError } from '../../cli/operation/result/outcome-error.ts';
import { answerBody, recordSummary } from '../../cli/output/record-summary.ts';
import type { LeftReason, Resumed } from '../../history/changes/resume.ts';
import type { Finding } from '../../history/history.ts';
import type { HistoryRecord } from '../../history/journal/history-record.ts';

export const words = {
  one: 'change',
  many: 'changes',
  done: 'Resumed',
  applied: 'applied',
  exists: 'already finished',
  again: null,
} as const;

const findings: Readonly<Record<Finding, string>> = {
  applied: 'the store has it',
  untouched: 'the store does not have it so far; the request may still be in progress',
  other: 'the store has something else than was sent',
  unreadable: 'the store could not be read',
};

const mark = (id: string): readonly Step[] => [
  { say: 'look at the store' },
  { run: ['resume', id, '--mark', 'applied'], rest: 'or `--mark not-applied`' },
];

/** Why a change stays open, and what the user can do. `id` is the change's, or `ID` for several. */
const reasons: Readonly<
  Record<LeftReason, { readonly message: string; remedy(id: string): readonly Step[] }>
> = {
  running: { message: 'another storectl command is working on it', remedy: () => [] },
  too_old: {
    message: 'older than 20 hours, so the service may have forgotten its idempotency key',
    remedy: (id) => [...mark(id), { say: 'a terminal asks whether to send it anyway' }],
  },
  needs_yes: {
    message: 'a restore replaces what was changed since, so it is not resumed together with others',
    remedy: (id) => [{ run: ['resume', id], rest: 'to restore now, after a new safety backup' }],
  },
  later_change: { message: 'sending it again could overwrite a later change', remedy: mark },
  not_settled: {
    message: 'could not be settled',
    remedy: (id) => [
      { run: ['resume', id], rest: 'again in a few minutes' },
      { say: 'if it cannot be settled then either, look at the store' },
      {
        run: ['resume', id, '--mark', 'applied'],
        rest: 'or `--mark not-applied`; then it can be done again',
      },
    ],
  },
  ask_user: { message: 'the service cannot be asked, and sending it again could do it twice', remedy: mark },
  unreadable: { message: 'its request was lost in a damaged log', remedy: mark },
};

/** The result of an open change, which was `asked` for. */
export function resultOfResumed(session: Session, asked: HistoryRecord, resumed: Resumed): ItemResult {
  const { record } = resumed;
  if ('safetyBackup' in resumed && resumed.safetyBackup?.record.id === record.id && record.id !== asked.id) {
    const { outcome, recordingError } = resumed;
    const message =
      outcome.kind === 'applied' && recordingError !== null
        ? `safety backup ${record.id} was taken, but nothing was restored: ${recordingError.message}`
        : `the safety backup (${record.id}) failed, so nothing was restored`;
    return makeResult('unknown', { record: asked, code: 'no_safety_backup', message });
  }
  if (resumed.action === 'overtaken')
    return makeResult('exists', {
      record,
      message: `no longer matters, because ${record.overtakenBy} was applied later`,
    });
  if (resumed.action === 'left') {
    const { reason, later, finding } = resumed;
    const found = finding === undefined ? '' : `: ${findings[finding]}`;
    const message = `${reasons[reason].message}${later === undefined ? '' : ` (${later.id})`}${found}`;
    return makeResult('unknown', { record, code: reason, message });
  }
  const { outcome, action } = resumed;
  if (outcome.kind === 'applied') {
    return makeResult('applied', {
      record,
      requestId: outcome.requestId,
      message: action === 'told' ? 'before the command ended' : '',
    });
  }
  const { class: operationClass, profile, baseUrl } = record;
  const error = outcomeError(session, outcome, {
    class: operationClass,
    recordId: record.id,
    profile,
    baseUrl,
  });
  const result = resultOfError(new CliError({ ...error.failure, fields: undefined }), record);
  if (result.outcome === 'unknown') return { ...result, remedy: error.failure.next ?? [] };
  // A refusal or a change that was never sent ends a record; it is no reason to stop.
  return result.outcome === 'not_sent' ? { ...result, outcome: 'failed' } : result;
}

/** The results with what the user can do about those that are left, said once for all with the same reason. */
export function withRemedies(results: readonly ItemResult[]): ItemResult[] {
  return results.map((result) => {
    const reason = reasonOf(result);
    if (reason === null) return result;
    const isOnly = results.filter(({ code }) => code === reason).length === 1;
    return { ...result, remedy: reasons[reason].remedy(isOnly ? (result.record?.id ?? 'ID') : 'ID') };
  });
}

function reasonOf({ code }: ItemResult): LeftReason | null {
  return code !== null && Object.hasOwn(reasons, code) ? (code as LeftReason) : null;
}

/** What identifies a change, and once it has a result, what it made. */
export function cellsOf(record: HistoryRecord, result: ItemResult | null): string[] {
  const { operation, label } = recordSummary(record);
  const cells = [record.id, operation, label ?? ''];
  const created = result?.outcome === 'applied' ? createdId(result.record) : null;
  return created === null ? cells : [...cells, created];
}

/** The id of what an applied change made. */
export function createdId(record: HistoryRecord | null): string | null {
  const { id } = Object(record && answerBody(record));
  return typeof id === 'string' ? id : null;
}

/** A change, as `--json` prints it. */
export function documentOfChange(found: HistoryRecord, result: ItemResult, action: Resumed['action'] | null) {
  const record = result.record ?? found;
  const { operation, label, state, attempts } = recordSummary(record);
  return {
    id: record.id,
    operation,
    label,
    action,
    reason: reasonOf(result),
    state,
    attempts,
    result: state === 'applied' ? answerBody(record) : null,
    message: result.message,
  };
}
