import type { ObjectKind } from '../../contract/objects.ts';
import { completeKnownIds, needsList, type TextMeaning } from '../command/known.ts';
import type { Session } from '../command/session.ts';

/**
 * The ids that these texts stand for. The list of the service is asked for what this machine does not know; without the list, what this
 * machine has seen decides. Throws exit 2 for a text that stands for none.
 */
export async function findIds(
  session: Session,
  kind: ObjectKind,
  texts: readonly string[],
  meaning: Pick<TextMeaning, 'byName'> = {},
): Promise<string[]> {
  if (!(await needsList(session, kind, texts, meaning)))
    return completeKnownIds(session, kind, texts, meaning);
  // Loaded on demand: most ids are whole, or known.
  const { rememberList } = await import('./remember-list.ts');
  const isListed = await rememberList(session, kind);
  return completeKnownIds(session, kind, texts, { ...meaning, isListed });
}

/** As {@link findIds}, for one id. */
export async function findId(
  session: Session,
  kind: ObjectKind,
  text: string,
  meaning: Pick<TextMeaning, 'byName'> = {},
): Promise<string> {
  return (await findIds(session, kind, [text], meaning))[0] ?? text;
}
