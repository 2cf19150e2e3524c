import { canonicalId } from '../../../contract/operation.ts';
import { kindOfParameter } from '../../../history/objects/known-objects.ts';
import { inputNeeded, wrongConfirmation } from '../../command/input-needed.ts';
import { listKnown } from '../../command/known.ts';
import { idsBeginningWith, shortenId } from '../../command/short-id.ts';
import { isOn, optionValue } from '../../core/parsed-command.ts';
import { idParameter } from '../../input/path-parameter.ts';
import { missingConfirmation } from '../../prompts/ask-or-fail.ts';
import type { OperationCommand, Preview } from '../call/operation-command.ts';
import type { Run } from '../call/run.ts';
import { refuseEarlier, send } from './send-run.ts';

/** What a prompt says to a confirmation that is not the one it asks for. */
export const mismatch = "That doesn't match. Try again, or press Ctrl-C to cancel.";

/**
 * Asks the user to type the id, or its unique beginning, before an irreversible change, unless `--confirm ID` was given.
 * The id names the object in the path, or the change that is undone. Throws exit 3 without a terminal, and exit 2
 * for another id.
 */
export async function confirmById(
  { request: { operation }, ui, session, parsed, questions }: Run,
  id: string,
  question: string,
  canGoBack = questions !== null,
): Promise<void> {
  const given = optionValue(parsed, '--confirm');
  if (given === undefined && !ui.canAsk) throw inputNeeded([missingConfirmation(id)]);
  const kind = kindOfParameter(idParameter(operation) ?? '');
  const known = kind === undefined ? [] : (await listKnown(session, kind)).map((object) => object.id);
  if (given !== undefined) {
    if (isConfirmed(given, id, known)) return;
    throw wrongConfirmation(given, id);
  }
  const { askText } = await import('../../prompts/prompts.ts');
  const { askAll } = await import('../../prompts/questions.ts');
  const short = known.includes(id) ? shortenId(id, known) : id;
  const validate = (text: string) => isConfirmed(text.trim(), id, known) || mismatch;
  const ask = async () => {
    await askText(ui.io, `${question} Type ${short} to confirm`, { validate, isConfirmation: true });
  };
  // After other questions, Escape goes back to them.
  await (canGoBack ? ask() : askAll(() => [ask]));
}

/** What a run would change: by the command's own `preview`, or the request as it is. */
export async function previewOf(command: OperationCommand, run: Run): Promise<Preview> {
  if (command.preview !== undefined) return command.preview(run);
  const flag = command.allowDuplicate;
  const options = {
    allowDuplicate: flag !== undefined && isOn(run.parsed, flag),
    allowDuplicateFlag: flag,
  };
  // What was sent before is refused before the question, not after it.
  if (command.confirm !== undefined) await refuseEarlier(run, options);
  return { send: () => send(run, options) };
}

/** {@link confirmById} with the id and the question of a command. */
export async function confirmRun(command: OperationCommand, run: Run): Promise<void> {
  const { confirm = '' } = command;
  await confirmById(run, run.request.parameters[confirm] ?? '', confirmQuestion(command, run));
}

/** What the user agrees to before the run is sent. */
export function confirmQuestion(
  { question = 'Send this request?' }: OperationCommand,
  { request }: Run,
): string {
  return typeof question === 'string' ? question : question(request);
}

/** Whether `text` is the wanted id, or a beginning that no other known id has. */
function isConfirmed(text: string, wanted: string, known: readonly string[]): boolean {
  const [meant = canonicalId(text), ...others] = idsBeginningWith(text, known);
  return meant === wanted && others.length === 0;
}
