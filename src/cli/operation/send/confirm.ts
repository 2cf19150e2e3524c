import { pathParameters } from '../../../contract/operation.ts';
import { kindOfParameter } from '../../../history/objects/known-objects.ts';
import { inputNeeded, wrongConfirmation } from '../../command/input-needed.ts';
import { completeKnownId, listKnown } from '../../command/known.ts';
import type { Session } from '../../command/session.ts';
import { idsBeginningWith, minIdLength, shortenId } from '../../command/short-id.ts';
import { optionValue } from '../../core/parsed-command.ts';
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
  const [name = ''] = pathParameters(operation).filter((parameter) => parameter !== 'storeId');
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
  const kind = kindOfParameter(name);
  const known = kind === undefined ? [] : (await listKnown(session, kind)).map((object) => object.id);
  const short = known.includes(id) ? shortenId(id, known) : id;
  const validate = (text: string) => {
    const [meant = text.trim(), ...others] = idsBeginningWith(text.trim(), known);
    return (meant === id && others.length === 0) || mismatch;
  };
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
  const meant = given.length < minIdLength ? given : await completeParameter(session, name, given);
  if (meant !== wanted) throw wrongConfirmation(given, wanted);
}

/** The id that the user meant with the beginning of one, for a parameter in the path. */
export async function completeParameter(session: Session, name: string, text: string): Promise<string> {
  const kind = kindOfParameter(name);
  return kind === undefined ? text : completeKnownId(session, kind, text);
}
