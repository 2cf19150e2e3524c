import { CliError, WentBack } from '../../../cli/core/errors.ts';
import { deriveFlags } from '../../../cli/input/field-flags.ts';
import type { Run } from '../../../cli/operation/call/run.ts';
import { askInto, explainRefusal } from '../../../cli/operation/questions/ask-missing.ts';
import { askInTurn } from '../../../cli/prompts/questions.ts';
import { decideDispute } from '../../../contract/operations/disputes.ts';
import type { HistoryRecord } from '../../../history/journal/history-record.ts';
import { confirmAndDecide } from '../decide-one.ts';

const fields = deriveFlags(decideDispute.body, { fileFlags: { resolution: 'resolution-file' } });

const skip = { value: '#skip', name: 'Skip this dispute' };

interface Asked {
  readonly status: string;
  /** Null if the dispute has this decision already. */
  readonly record: HistoryRecord | null;
}

/**
 * Asks for the decision of a dispute whose case file is shown, with the questions of a single decision, and records it.
 * Escape goes back one question; a value that the service refuses is asked for again.
 */
export async function askDecision(run: Run, canGoBack: boolean): Promise<'skip' | 'back' | Asked> {
  const { ui, session } = run;
  const body: Record<string, unknown> = {};
  const asked: Asked[] = [];
  const decide = async () => {
    const own = { ...run, request: { ...run.request, body } };
    const { record } = await confirmAndDecide(own);
    asked.push({ status: String(body.status), record });
  };
  const questions = () => {
    const all = fields.map((field) => () => askInto(ui, body, field, { actions: [skip] }));
    return body.status === skip.value ? all.slice(0, 1) : [...all, decide];
  };
  for (;;) {
    try {
      await askInTurn(questions);
    } catch (error) {
      if (error instanceof WentBack) {
        if (canGoBack) return 'back';
      } else if (isRefusedValue(error)) explainRefusal(ui, session, error);
      else throw error;
    }
    if (body.status === skip.value) return 'skip';
    if (asked[0] !== undefined) return asked[0];
  }
}

/** Whether another answer may help: the service refused a value, or it is not valid. */
function isRefusedValue(error: unknown): error is CliError {
  if (!(error instanceof CliError)) return false;
  const { outcome, status, code } = error.failure;
  return code === 'invalid_input' || (outcome === 'rejected' && (status === 400 || status === 422));
}
