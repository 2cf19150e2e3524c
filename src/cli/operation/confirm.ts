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

/** The answer of a prompt to an id that is not the one to confirm. */
export const mismatch = "That doesn't match. Try again, or press Ctrl-C to cancel.";

/** What the user agrees to before a request is sent. */
interface Confirmation {
  readonly question: string;
  /** The id that the user types. For a change that cannot be taken back. */
  readonly id?: string | undefined;
  /** What would change. Without it, a user who was asked for input sees the fields of the request. */
  readonly shown?: Printable;
  /** Whether `shown` is shown to a user who was asked for nothing, too. */
  readonly alwaysShow?: boolean;
  /** Whether there are earlier questions, which Escape goes back to. By default, if the user was asked for input. */
  readonly hasQuestions?: boolean;
}

/**
 * Shows what would change, and asks the user to agree. A user who was asked for no input agrees by running the command, unless there is
 * an `id` to type. In `untilAccepted`, a user who edits the request is asked again. Throws exit 130 for a no, and the errors of
 * {@link confirmById}.
 */
export async function confirm(
  run: Run,
  { question, id, shown, alwaysShow = false, hasQuestions = run.questions !== null }: Confirmation,
): Promise<void> {
  const { ui, questions } = run;
  if (questions !== null) {
    const { explainKeys } = await import('../prompts/questions.ts');
    explainKeys(ui);
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
 * Asks the user to type an id, or its unique beginning, unless `--confirm ID` was given. The id is that of the object in the path, or of
 * the change to undo. Throws exit 3 without a terminal, and exit 2 for another id.
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
  // Escape goes back to the earlier questions, if there are any.
  await (hasQuestions ? ask() : askAll(() => [ask]));
}

/** Whether `--confirm` names the id, or its unique beginning. Throws exit 2 if the flag names another id. */
export async function isConfirmedByFlag(
  run: Pick<Run, 'request' | 'session' | 'parsed'>,
  id: string,
): Promise<boolean> {
  const given = optionValue(run.parsed, '--confirm');
  if (given === undefined) return false;
  if (isConfirmed(given, id, await listOthers(run))) return true;
  throw wrongConfirmation(given, id);
}

/** The known ids of objects of the same kind, which a beginning might stand for. */
async function listOthers({ request, session }: Pick<Run, 'request' | 'session'>): Promise<string[]> {
  const kind = kindOfParameter(idParameter(request.operation) ?? '');
  return kind === undefined ? [] : (await listKnown(session, kind)).map((object) => object.id);
}

/** Whether `text` is the wanted id, or a beginning of it that no other known id has. */
function isConfirmed(text: string, wanted: string, known: readonly string[]): boolean {
  const [meant = canonicalId(text), ...others] = idsBeginningWith(text, known);
  return meant === wanted && others.length === 0;
}
