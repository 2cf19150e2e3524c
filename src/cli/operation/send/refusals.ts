import { asObject, parseJson } from '../../../base/json.ts';
import { HistoryError, type RefusalReason, RefusedError } from '../../../history/errors.ts';
import type { HistoryRecord } from '../../../history/journal/history-record.ts';
import { CliError, localStateError, type Step, usageError } from '../../core/errors.ts';
import { type ExitCode, exitCodes } from '../../core/exit-codes.ts';
import { textAt } from '../../core/field-path.ts';
import { answerBody } from '../../output/record-summary.ts';
import { anotherKey } from '../result/outcome-error.ts';

const show = (earlier: HistoryRecord | null): readonly Step[] => [
  { run: ['history', 'show', earlier?.id ?? ''], rest: 'to see it' },
];

function showOrSend(earlier: HistoryRecord | null, allowDuplicateFlag?: string): readonly Step[] {
  if (allowDuplicateFlag === undefined) return show(earlier);
  return [...show(earlier), { say: `add ${allowDuplicateFlag} to send it anyway` }];
}

/** A backup from before the change: one that the user wanted, or the service takes before each restore and names in its response. */
function restoreBackup(change: HistoryRecord | null): readonly Step[] {
  const { sections = ['store'] } = asObject(parseJson(change?.body));
  const own = change?.safetyBackupId ?? null;
  const id = own ?? textAt(change && answerBody(change), ['preRestoreBackupId']);
  if (id === null || !Array.isArray(sections)) return show(change);
  const run = ['backup', 'restore', id, '--sections', sections.join(',')];
  return [{ run, rest: `to restore what ${own === null ? 'the service' : 'you'} backed up before it` }];
}

/** How a command ends whose change is refused by the rules of its operation, where that is not a conflict that can be shown. */
const refusals: Readonly<
  Partial<
    Record<
      RefusalReason,
      {
        readonly exitCode?: ExitCode;
        readonly code?: string;
        next?(earlier: HistoryRecord | null, allowDuplicateFlag?: string): readonly Step[];
      }
    >
  >
> = {
  in_doubt: {
    exitCode: exitCodes.unknown,
    code: 'outcome_unknown',
    next: (earlier) => [{ run: ['resume', earlier?.id ?? ''], rest: 'before you run the command again' }],
  },
  changed_meanwhile: { code: 'already_sent' },
  duplicate: { code: 'already_sent', next: showOrSend },
  only_once: { code: 'already_sent', next: showOrSend },
  key_reused: {
    exitCode: exitCodes.usage,
    code: 'idempotency_key_reused',
    next: () => anotherKey,
  },
  no_safety_backup: { next: restoreBackup },
  replaced_unknown: { next: restoreBackup },
  nothing_to_undo: { next: () => [{ run: ['history', 'list'], rest: 'to see the changes of this store' }] },
};

/** Turns an error of the history into a CLI error; returns any other error unchanged. For `allowDuplicateFlag` see ChangeOptions. */
export function describeHistoryError(error: unknown, allowDuplicateFlag?: string): unknown {
  if (error instanceof RefusedError) {
    const { exitCode = exitCodes.conflict, code = error.reason, next = show } = refusals[error.reason] ?? {};
    const { earlier, fields, message } = error;
    return new CliError({
      code,
      exitCode,
      what: error.reason === 'in_doubt' ? `${message}, so this one was not sent` : message,
      next: next(earlier, allowDuplicateFlag),
      outcome: error.reason === 'in_doubt' ? 'unknown' : 'not_sent',
      operationId: earlier?.id,
      ...(fields.length > 0 && {
        fields: fields.map((field) => ({ field, flag: null, detail: 'the value from before is not known' })),
      }),
    });
  }
  if (!(error instanceof HistoryError)) return error;
  const { code, message, advice } = error;
  if (code === 'record_not_found') {
    return usageError(message, advice ?? { run: ['history', 'list'], rest: 'to see the ids' }, { code });
  }
  if (code === 'secret_in_record') {
    return usageError(message, 'remove the API key from the request', { code });
  }
  if (code === 'already_settled') {
    return usageError(message, 'only changes in doubt can be marked', { code, exitCode: exitCodes.conflict });
  }
  const steps: Partial<Record<typeof code, Step>> = {
    // A log of a later version is not to be repaired.
    history_damaged:
      advice === null ? { run: ['history', 'repair'], rest: 'to keep what can be read' } : { say: advice },
    history_busy: { say: 'add --timeout SECONDS to change how long to wait' },
  };
  return localStateError(code, message, steps[code] ?? advice ?? []);
}
