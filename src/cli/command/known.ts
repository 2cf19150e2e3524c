import { canonicalId, uuidPattern } from '../../contract/operation.ts';
import { type KnownKind, type KnownObject, operationsOfKind } from '../../history/objects/known-objects.ts';
import { demoProfile } from '../config/connection-settings.ts';
import { type CliError, usageError } from '../core/errors.ts';
import { printable } from '../core/sanitize.ts';
import type { Session } from './session.ts';
import { idsBeginningWith, minIdLength, shortenId } from './short-id.ts';

/** The objects of a kind that this machine knows, of the store in use, the last seen first. */
export async function listKnown(session: Session, kind: KnownKind): Promise<readonly KnownObject[]> {
  // Loaded on demand: most commands take whole ids.
  const { knownObjects } = await import('../../history/objects/known-objects.ts');
  const { readSeen } = await import('../../history/objects/seen-objects.ts');
  const { profile } = await session.settings();
  const history = await session.history();
  // What was restored, and from which backup, tells what is still there.
  const operations = new Set([...operationsOfKind[kind], 'backup.create', 'backup.restore']);
  const records = [...operations].flatMap((operation) => history.list({ operation }).records);
  const seen = readSeen(history.journal.folder);
  const known = knownObjects(kind, records, seen);
  if (profile !== demoProfile) return known;
  // The service of the demo runs in this process, so it can list what the example store has. The automatic backup of a
  // restore is left out: another store tells only its id, and it looks like a second safety backup.
  const { example } = await session.demo();
  const oldestFirst: readonly { readonly id: string }[] = example[`${kind}s`];
  return oldestFirst
    .filter(({ id }) => kind !== 'backup' || known.some((object) => object.id === id))
    .map(({ id, ...fields }) => ({
      id,
      seenAt: known.find((object) => object.id === id)?.seenAt ?? '',
      fields,
    }))
    .reverse();
}

/**
 * The ids that these texts stand for: an id may be abbreviated to its unique beginning. A text of 8 characters or more that
 * no known id begins with is taken for a whole id. Throws exit 2 if several do, and for a shorter text that is not an id.
 */
export async function completeKnownIds(
  session: Session,
  kind: KnownKind,
  texts: readonly string[],
): Promise<string[]> {
  // A whole id need not be looked up.
  const isShort = (text: string) => !uuidPattern.test(text);
  if (!texts.some(isShort)) return texts.map(canonicalId);
  const known = await listKnown(session, kind);
  const ids = known.map(({ id }) => id);
  const completed: string[] = [];
  for (const text of texts) {
    const [id = canonicalId(text), ...others] = isShort(text) ? idsBeginningWith(text, ids) : [];
    if (text !== '' && text.length < minIdLength && !ids.includes(text)) throw idTooShort(kind, text);
    if (others.length > 0) throw await ambiguousId(kind, text, known);
    completed.push(id);
  }
  return completed;
}

function idTooShort(kind: KnownKind, text: string): CliError {
  const [noun] = operationsOfKind[kind][0]?.split('.') ?? [];
  return usageError(
    `"${printable(text)}" is too short for the id of a ${kind}`,
    [
      { say: `use at least its first ${minIdLength} characters` },
      ...(noun === undefined ? [] : [{ run: [noun, 'list'], rest: 'to see the ids' }]),
    ],
    { code: 'id_too_short' },
  );
}

/** Exit 2 that shows which objects the text may stand for: `01a2053d-3c93 (nightly, 2 minutes ago)`. */
async function ambiguousId(kind: KnownKind, text: string, known: readonly KnownObject[]): Promise<CliError> {
  const { describeKnown } = await import('../output/describe-known.ts');
  const ids = known.map(({ id }) => id);
  const meant = idsBeginningWith(text, ids);
  const described = known
    .filter(({ id }) => meant.includes(id))
    .slice(0, 3)
    .map((object) => {
      const about = describeKnown(kind, object);
      return `${printable(shortenId(object.id, ids))}${about === '' ? '' : ` [${about}]`}`;
    });
  const more = meant.length > described.length ? ', …' : '';
  return usageError(
    `"${printable(text)}" matches ${meant.length} ${kind}s: ${described.join(', ')}${more}`,
    'use more characters of the id',
    { code: 'ambiguous_id' },
  );
}

/** As {@link completeKnownIds}, for one id. */
export async function completeKnownId(session: Session, kind: KnownKind, text: string): Promise<string> {
  return (await completeKnownIds(session, kind, [text]))[0] ?? text;
}

/** The store in use, by its name where this machine has seen it. Printable. */
export async function describeStoreInUse(session: Session): Promise<string> {
  const { profile, storeId } = await session.settings();
  if (profile === demoProfile) {
    const { example } = await session.demo();
    const id = storeId?.value ?? example.storeId;
    return describeStore(id, id === example.storeId ? example.store?.name : null);
  }
  const { readStoreName } = await import('../../history/objects/seen-objects.ts');
  return describeStore(storeId?.value ?? '', readStoreName((await session.history()).journal.folder));
}

/** `Juniper & Ink (4be5c0de)`, or the whole id without a name. Printable. */
export function describeStore(storeId: string, name: unknown): string {
  const isNamed = typeof name === 'string' && name.trim() !== '';
  return printable(isNamed ? `${name} (${storeId.slice(0, 8)})` : storeId);
}
