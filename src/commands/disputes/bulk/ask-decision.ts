import { CliError, WentBack } from '../../../cli/core/errors.ts';
import { printableInOneLine } from '../../../cli/core/sanitize.ts';
import { deriveFlags } from '../../../cli/input/field-flags.ts';
import type { Result, Run } from '../../../cli/operation/call/run.ts';
import { askField } from '../../../cli/operation/questions/ask-field.ts';
import { askInto, explainRefusal } from '../../../cli/operation/questions/ask-missing.ts';
import { renderRecord, rowsOf } from '../../../cli/output/tables.ts';
import { truncateText } from '../../../cli/output/wrap.ts';
import { askChoice } from '../../../cli/prompts/prompts.ts';
import { askInTurn, unlessBack } from '../../../cli/prompts/questions.ts';
import { decideDispute } from '../../../contract/operations/disputes.ts';
import { confirmAndDecide } from '../decide-one.ts';
import type { Decision } from './decisions-file.ts';

/** How many earlier resolutions are offered. */
const maxResolutions = 9;

/** The flags of the fields of a decision, which its questions are made from. */
const decisionFlags = { fileFlags: { resolution: 'resolution-file' } };
const [statusField, resolutionField] = ['status', 'resolution'].map((name) =>
  deriveFlags(decideDispute.body, decisionFlags).find(({ path }) => path[0] === name),
);

const skip = { value: '#skip', name: 'Skip this dispute' };

interface Asked {
  readonly canGoBack: boolean;
  /** Decisions of other disputes, newest first: their resolutions are offered. */
  readonly earlier: readonly Decision[];
}

/**
 * Asks for the decision of a dispute whose case file is shown, with the questions of a single decision, and records it.
 * Escape goes back one question; a value that the service refuses is asked for again.
 */
export async function askDecision(
  run: Run,
  { canGoBack, earlier }: Asked,
): Promise<'skip' | 'back' | { readonly decision: Decision; readonly result: Result }> {
  const { ui, session } = run;
  const body: Record<string, unknown> = {};
  let result: Result | null = null;
  const chooseStatus = async () => {
    const before = body.status;
    if (statusField === undefined) return;
    await askInto(ui, session, body, statusField, { actions: [skip] });
    // Another outcome has another reason.
    if (body.status !== before) delete body.resolution;
  };
  const chooseResolution = async () => {
    body.resolution = await askResolution(run, earlier, body);
  };
  const record = async () => {
    const own = { ...run, request: { ...run.request, body } };
    ui.notice(`\n${renderRecord(rowsOf(body), ui.err)}\n`);
    result = await confirmAndDecide(own, { isShown: true });
  };
  for (;;) {
    try {
      await askInTurn(() =>
        body.status === skip.value ? [chooseStatus] : [chooseStatus, chooseResolution, record],
      );
    } catch (error) {
      if (error instanceof WentBack) {
        if (canGoBack) return 'back';
      } else if (isRefusedValue(error)) explainRefusal(ui, session, error);
      else throw error;
    }
    if (body.status === skip.value) return 'skip';
    if (result !== null)
      return { decision: { status: String(body.status), resolution: String(body.resolution) }, result };
  }
}

function isRefusedValue(error: unknown): error is CliError {
  if (!(error instanceof CliError) || error.failure.outcome !== 'rejected') return false;
  return error.failure.status === 400 || error.failure.status === 422;
}

/** Offers the resolutions of earlier decisions with this status; the chosen one can be edited. */
async function askResolution(
  { ui }: Run,
  earlier: readonly Decision[],
  { status, resolution: before = '' }: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const { io } = ui;
  const alike = earlier.filter((decision) => decision.status === status && decision.resolution !== '');
  const offered = [...new Set(alike.map(({ resolution }) => resolution))].slice(0, maxResolutions);
  const write = async (preset: unknown) =>
    resolutionField === undefined ? preset : askField(io, resolutionField, { before: preset });
  if (before !== '' || offered.length === 0) return write(before);
  const choices = offered.map((text) => ({ value: text, name: truncateText(printableInOneLine(text), 66) }));
  for (;;) {
    const chosen = await askChoice(io, 'Resolution', [{ value: '', name: 'Write a new one' }, ...choices]);
    const text = await unlessBack(() => write(chosen));
    if (text !== null) return text;
  }
}
