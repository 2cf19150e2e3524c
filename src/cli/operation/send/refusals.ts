import { HistoryError, type RefusalReason, RefusedError } from '../../../history/record/errors.ts';
import type { HistoryRecord } from '../../../history/record/history-record.ts';
import type { Session } from '../../command/session.ts';
import { CliError, cancelledError, localStateError, type Step, usageError } from '../../core/errors.ts';
import { type ExitCode, exitCodes } from '../../core/exit-codes.ts';
import { anotherKey } from '../result/outcome-error.ts';

const show = (earlier: HistoryRecord | null): readonly Step[] => [
  { run: ['history', 'show', earlier?.id ?? ''], rest: 'to see it' },
];

/** The next steps after a refusal, from a command that knows more than the history. */
export type RefusalSteps = Readonly<
  Partial<Record<RefusalReason, (earlier: HistoryRecord | null) => readonly Step[]>>
>;

/** The next steps of a command with a flag that sends a change although the same was sent before. */
export function sendAnyway(flag: string | undefined): RefusalSteps {
  if (flag === undefined) return {};
  const next = (earlier: HistoryRecord | null) => [
    ...show(earlier),
    { say: `add ${flag} to send it anyway` },
  ];
  return { duplicate: next, only_once: next };
}

/** Exit code, error code and next steps of refusals. By default: exit 6, the reason as code, and `history show` of the earlier change. */
const refusals: Readonly<
  Partial<
    Record<
      RefusalReason,
      {
        readonly exitCode?: ExitCode;
        readonly code?: string;
        next?(earlier: HistoryRecord | null): readonly Step[];
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
  duplicate: { code: 'already_sent' },
  only_once: { code: 'already_sent' },
  key_reused: {
    exitCode: exitCodes.usage,
    code: 'idempotency_key_reused',
    next: () => anotherKey,
  },
  superseded: {
    code: 'already_sent',
    next: (earlier) => [
      { run: ['history', 'show', earlier?.supersededBy ?? ''], rest: 'to see the later change' },
      { say: 'use another idempotency key to send it now' },
    ],
  },
};

/** Turns an error of the history into a CLI error; returns any other error unchanged. */
export function describeHistoryError(error: unknown, refusalSteps: RefusalSteps = {}): unknown {
  if (error instanceof RefusedError) {
    const { exitCode = exitCodes.conflict, code = error.reason, next = show } = refusals[error.reason] ?? {};
    const { earlier, fields, message } = error;
    return new CliError({
      code,
      exitCode,
      what: error.reason === 'in_doubt' ? `${message}, so this one was not sent` : message,
      next: (refusalSteps[error.reason] ?? next)(earlier),
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
    // A log of a later version has its own advice: it must not be repaired.
    history_damaged:
      advice === null ? { run: ['history', 'repair'], rest: 'to keep what can be read' } : { say: advice },
    history_busy: { say: 'add --timeout SECONDS to change how long to wait' },
  };
  return localStateError(code, message, steps[code] ?? advice ?? []);
}

/** Calls `record`, and throws the errors of the history as the user's errors. */
export async function withHistoryErrors<Value>(
  { io }: Session,
  record: () => Promise<Value>,
  steps: RefusalSteps = {},
): Promise<Value> {
  try {
    return await record();
  } catch (error) {
    if (io.signal.aborted && error instanceof HistoryError) throw cancelledError();
    throw describeHistoryError(error, steps);
  }
}
