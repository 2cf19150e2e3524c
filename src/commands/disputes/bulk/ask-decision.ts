import { CliError, WentBack } from '../../../cli/core/errors.ts';
import { printableInOneLine } from '../../../cli/core/sanitize.ts';
import { deriveFlags } from '../../../cli/input/field-flags.ts';
import { askField } from '../../../cli/operation/questions/ask-field.ts';
import { explainRefusal } from '../../../cli/operation/questions/ask-missing.ts';
import type { Performed, Run } from '../../../cli/operation/run/run.ts';
import { truncateText } from '../../../cli/output/wrap.ts';
import { askChoice, askText, type Choice } from '../../../cli/prompts/prompts.ts';
import { askInTurn, unlessBack } from '../../../cli/prompts/questions.ts';
import { decideDispute, decisions } from '../../../contract/operations/disputes.ts';
import { showAndDecide } from '../decide-one.ts';
import type { Decision } from './decisions-file.ts';

/** How many earlier resolutions are offered. */
const maxResolutions = 9;

type Answer = 'skip' | 'back' | { readonly decision: Decision; readonly performed: Performed };

/** The dispute that is to be decided, and its place among the others: `7 of 40`. */
interface Asked {
  readonly disputeId: string;
  readonly title: string;
  readonly canGoBack: boolean;
  /** Decisions of other disputes, newest first: their resolutions are offered. */
  readonly earlier: readonly Decision[];
}

/**
 * Asks for the decision of a dispute whose case file is shown, and records it. Escape goes back one question; a value that
 * the service refuses is asked for again.
 */
export async function askDecision(run: Run, asked: Asked): Promise<Answer> {
  const { canGoBack } = asked;
  const { context } = run.ui;
  let way: 'skip' | 'back' | 'decide' = 'decide';
  let decision: Decision = { status: '', resolution: '' };
  let performed: Performed | null = null;
  const chooseStatus = async () => {
    const chosen = await askStatus(run, asked, decision.status);
    way = chosen === 'skip' || chosen === 'back' ? chosen : 'decide';
    // Another outcome has another reason.
    if (typeof chosen !== 'string' && chosen.status !== decision.status)
      decision = { ...chosen, resolution: '' };
  };
  const chooseResolution = async () => {
    decision = { ...decision, resolution: await askResolution(run, asked.earlier, decision) };
  };
  const record = async () => {
    performed = await showAndDecide({ ...run, request: { ...run.request, body: { ...decision } } }, true);
  };
  const questions = () => (way === 'decide' ? [chooseStatus, chooseResolution, record] : [chooseStatus]);
  for (;;) {
    try {
      await askInTurn(questions);
    } catch (error) {
      if (error instanceof WentBack) {
        if (canGoBack) return 'back';
      } else if (isRefusedValue(error)) explainRefusal(context, error, error.details.hint);
      else throw error;
    }
    if (way !== 'decide') return way;
    if (performed !== null) return { decision, performed };
  }
}

function isRefusedValue(error: unknown): error is CliError {
  if (!(error instanceof CliError) || error.details.outcome !== 'rejected') return false;
  return error.details.status === 400 || error.details.status === 422;
}

async function askStatus(
  { ui: { context } }: Run,
  { disputeId, title, canGoBack }: Asked,
  before: string,
): Promise<'skip' | 'back' | { readonly status: string }> {
  const choices: Choice[] = [
    ...decisions.map((status) => ({ value: `status ${status}`, name: status })),
    { value: 'other', name: 'Other…' },
    { value: 'skip', name: 'Skip this dispute' },
    ...(canGoBack ? [{ value: 'back', name: 'Back to the previous dispute' }] : []),
  ];
  for (;;) {
    const chosen = await askChoice(
      context.io,
      `Status of dispute ${disputeId} (${title})`,
      choices,
      `status ${before}`,
      canGoBack,
    );
    if (chosen === 'skip' || chosen === 'back') return chosen;
    if (chosen !== 'other') return { status: chosen.replace('status ', '') };
    // Escape goes back to the list.
    const typed = await unlessBack(() => askText(context.io, 'Status'));
    if (typed !== null) return { status: typed.trim() };
  }
}

/** Offers the resolutions of earlier decisions with this status; the chosen one can be edited, also in the editor. */
async function askResolution(
  { ui: { context } }: Run,
  earlier: readonly Decision[],
  { status, resolution: before }: Decision,
): Promise<string> {
  const { io } = context;
  const alike = earlier.filter((decision) => decision.status === status && decision.resolution !== '');
  const offered = [...new Set(alike.map(({ resolution }) => resolution))].slice(0, maxResolutions);
  const field = deriveFlags(decideDispute.body, { fileFlags: { resolution: 'resolution-file' } }).find(
    ({ path }) => path[0] === 'resolution',
  );
  const write = async (preset: string) =>
    field === undefined ? preset : String(await askField(io, field, { before: preset }));
  if (before !== '' || offered.length === 0) return write(before);
  const choices = offered.map((text) => ({ value: text, name: truncateText(printableInOneLine(text), 66) }));
  for (;;) {
    const chosen = await askChoice(io, 'Resolution', [{ value: '', name: 'Write a new one' }, ...choices]);
    const text = await unlessBack(() => write(chosen));
    if (text !== null) return text;
  }
}
