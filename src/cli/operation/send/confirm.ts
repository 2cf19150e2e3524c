import { canonicalId } from '../../../contract/operation.ts';
import { kindOfParameter } from '../../../history/objects/known-objects.ts';
import { inputNeeded, wrongConfirmation } from '../../command/input-needed.ts';
import { listKnown } from '../../command/known.ts';
import type { Session } from '../../command/session.ts';
import { idsBeginningWith, shortenId } from '../../command/short-id.ts';
import { optionValue } from '../../core/parsed-command.ts';
import { idParameters } from '../../input/path-parameter.ts';
import type { Run } from '../call/run.ts';

/** What a prompt says to a confirmation that is not the one it asks for. */
export const mismatch = "That doesn't match. Try again, or press Ctrl-C to cancel.";

/**
 * Asks the user to type the id, or its unique beginning, before an irreversible change, unless `--confirm ID` was given.
 * The id is that of the object in the path, or of the change that is undone. Throws exit 3 without a terminal.
 */
export async function confirmById(
  { request: { operation }, ui, session, parsed, interview }: Run,
  id: string,
  question: string,
  canGoBack = interview !== null,
): Promise<void> {
  const [name = ''] = idParameters(operation);
  const given = optionValue(parsed, '--confirm');
  if (given !== undefined) {
    return refuseOtherConfirmation(session, name, given, id);
  }
  if (!ui.canAsk) {
    const description = 'repeat the id to confirm';
    throw inputNeeded([{ field: 'confirm', give: `--confirm ${id}`, description }]);
  }
  const { askText } = await import('../../prompts/prompts.ts');
  const { askFromStart } = await import('../../prompts/questions.ts');
  const known = await knownIdsOf(session, name);
  const short = known.includes(id) ? shortenId(id, known) : id;
  const validate = (text: string) => isConfirmed(text.trim(), id, known) || mismatch;
  const ask = async () => {
    await askText(ui.io, `${question} Type ${short} to confirm`, { validate, isConfirmation: true });
  };
  // After other questions, Escape goes back to them.
  await (canGoBack ? ask() : askFromStart(() => [ask]));
}

/** Throws exit 2 if `--confirm` gives another id than the wanted one, or too little of it. */
export async function refuseOtherConfirmation(
  session: Session,
  name: string,
  given: string,
  wanted: string,
): Promise<void> {
  if (!isConfirmed(given, wanted, await knownIdsOf(session, name))) throw wrongConfirmation(given, wanted);
}

/** Whether `text` is the wanted id, or a beginning that no other known id has. */
function isConfirmed(text: string, wanted: string, known: readonly string[]): boolean {
  const [meant = canonicalId(text), ...others] = idsBeginningWith(text, known);
  return meant === wanted && others.length === 0;
}

/** The ids that this machine knows for a parameter in the path. */
async function knownIdsOf(session: Session, name: string): Promise<string[]> {
  const kind = kindOfParameter(name);
  return kind === undefined ? [] : (await listKnown(session, kind)).map(({ id }) => id);
}
