import { kindOfParameter } from '../../contract/objects.ts';
import { canonicalId } from '../../contract/operation.ts';
import { inputNeeded, wrongConfirmation } from '../command/input-needed.ts';
import { listKnown } from '../command/known.ts';
import { idsBeginningWith, shortenId } from '../command/short-id.ts';
import { optionValue } from '../core/parsed-command.ts';
import { apart, type Printable } from '../core/sanitize.ts';
import { idParameter } from '../input/path-parameter.ts';
import { missingConfirmation } from '../prompts/ask-or-fail.ts';
import type { Run } from './call/run.ts';

/** What a prompt says to a confirmation that is not the one it asks for. */
export const mismatch = "That doesn't match. Try again, or press Ctrl-C to cancel.";

/** What the user agrees to before a run is sent. */
interface Confirmation {
  readonly question: string;
  /** Of a change that cannot be undone: the id that the user types. */
  readonly id?: string | undefined;
  /** What would change. A user who was asked for input sees the fields of the request unless given. */
  readonly shown?: Printable;
  /** It says what the result does not, so it is shown to a user who was asked nothing, too. */
  readonly alwaysShow?: boolean;
  /** Whether there are questions before this one, which Escape leads back to. */
  readonly hasQuestions?: boolean;
}

/**
 * Shows what would change, and asks. Who was asked for nothing agrees by running the command, but for what has an `id`. Throws
 * exit 130 for a no, and what {@link confirmById} throws. In `untilAccepted`, a user who edits the request confirms it anew.
 */
export async function confirm(
  run: Run,
  { question, id, shown, alwaysShow = false, hasQuestions = run.questions !== null }: Confirmation,
): Promise<void> {
  const { ui, questions } = run;
  if (questions !== null) {
    const { showRequest } = await import('./questions/review.ts');
    showRequest(run, shown);
  } else if (shown !== undefined && alwaysShow) ui.notice(hasQuestions ? apart(shown) : shown);
  if (id !== undefined) {
    if (!run.isConfirmed) await confirmById(run, id, question, hasQuestions);
  } else if (questions !== null) {
    const { askWhetherToSend } = await import('./questions/review.ts');
    await askWhetherToSend(run, questions, question);
  }
}

/**
 * Asks the user to type the id, or its unique beginning, before an irreversible change, unless `--confirm ID` was given.
 * The id names the object in the path, or the change that is undone. Throws exit 3 without a terminal, and exit 2
 * for another id.
 */
export async function confirmById(
  run: Run,
  id: string,
  question: string,
  hasQuestions = run.questions !== null,
): Promise<void> {
  const { ui } = run;
  if (await isConfirmedByFlag(run, id)) return;
  if (!ui.canAsk) throw inputNeeded([missingConfirmation(id)], { prompt: ui.promptHint });
  const known = await listOthers(run);
  const { askText } = await import('../prompts/prompts.ts');
  const { askAll } = await import('../prompts/questions.ts');
  const short = known.includes(id) ? shortenId(id, known) : id;
  const validate = (text: string) => isConfirmed(text.trim(), id, known) || mismatch;
  const ask = async () => {
    await askText(ui.io, `${question} Type ${short} to confirm`, { validate, isConfirmation: true });
  };
  // After other questions, Escape goes back to them.
  await (hasQuestions ? ask() : askAll(() => [ask]));
}

/** Whether `--confirm` names the id, or its unique beginning. Throws exit 2 if it names another one. */
export async function isConfirmedByFlag(
  run: Pick<Run, 'request' | 'session' | 'parsed'>,
  id: string,
): Promise<boolean> {
  const given = optionValue(run.parsed, '--confirm');
  if (given === undefined) return false;
  if (isConfirmed(given, id, await listOthers(run))) return true;
  throw wrongConfirmation(given, id);
}

/** The known ids that a beginning might stand for, too. */
async function listOthers({ request, session }: Pick<Run, 'request' | 'session'>): Promise<string[]> {
  const kind = kindOfParameter(idParameter(request.operation) ?? '');
  return kind === undefined ? [] : (await listKnown(session, kind)).map((object) => object.id);
}

/** Whether `text` is the wanted id, or a beginning that no other known id has. */
function isConfirmed(text: string, wanted: string, known: readonly string[]): boolean {
  const [meant = canonicalId(text), ...others] = idsBeginningWith(text, known);
  return meant === wanted && others.length === 0;
}
