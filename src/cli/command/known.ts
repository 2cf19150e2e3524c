import { asObject } from '../../base/json.ts';
import { kindOf, type ObjectKind } from '../../contract/objects.ts';
import { uuidPattern } from '../../contract/operation.ts';
import { type KnownObject, knownObjects } from '../../history/objects/known-objects.ts';
import { readSeen, rememberSeen } from '../../history/objects/seen-objects.ts';
import { CliError, usageError } from '../core/errors.ts';
import { printable } from '../core/sanitize.ts';
import { describeKnown } from '../output/describe-known.ts';
import type { Session } from './session.ts';
import { idsBeginningWith, minIdLength, resolveId, shortenId } from './short-id.ts';

/** The objects of a kind that this machine knows, of the store in use, the last seen first. */
export async function listKnown(session: Session, kind: ObjectKind): Promise<readonly KnownObject[]> {
  const history = await session.history();
  const records = history.snapshot().usable({ concerning: kindOf(kind).operations });
  return knownObjects(kind, [...records], readSeen(history.journal.folder));
}

/** How many objects of one read are remembered. */
const maxRemembered = 1000;

/** Keeps what a read showed, for Tab, for short ids, and for when the service cannot be asked. */
export async function rememberObjects(
  session: Session,
  kind: ObjectKind,
  items: readonly unknown[],
): Promise<void> {
  const seenAt = new Date().toISOString();
  const objects = items.slice(0, maxRemembered).flatMap((item) => {
    const { id, ...others } = asObject(item);
    const fields = Object.fromEntries(
      [...kindOf(kind).fields, 'createdAt'].map((name) => [name, others[name]]),
    );
    return typeof id === 'string' ? [{ kind, id, seenAt, fields }] : [];
  });
  if (objects.length === 0) return;
  try {
    rememberSeen((await session.history()).journal.folder, objects.reverse());
  } catch (error) {
    // Without a home folder there is no place for it, and the read itself succeeded.
    if (!(error instanceof CliError)) throw error;
  }
}

/** How texts are taken for ids. */
export interface TextMeaning {
  /** Whether what people know an object by, such as a slug, stands for its id if exactly one has it. Not before a change. */
  readonly byName?: boolean;
  /** Whether the service has listed the objects, besides those that this machine knows. */
  readonly isListed?: boolean;
}

/** The ids that these texts stand for; see `resolveId`. Throws exit 2 for a text that stands for none. */
export async function completeKnownIds(
  session: Session,
  kind: ObjectKind,
  texts: readonly string[],
  { byName = false, isListed = false }: TextMeaning = {},
): Promise<string[]> {
  // A whole id need not be looked up.
  const known = texts.every((text) => uuidPattern.test(text)) ? [] : await listKnown(session, kind);
  const ids = known.map(({ id }) => id);
  return texts.map((text) => {
    const meant = resolveId(text, kind, ids);
    const isKnown = 'id' in meant && (uuidPattern.test(text) || ids.includes(meant.id));
    if (isKnown) return meant.id;
    const named = findNamed(kind, text, known);
    if (byName && named?.objects.length === 1 && named.what !== '') return named.objects[0].id;
    if ('id' in meant) return meant.id;
    if (named !== null) throw notAName(kind, text, named, known);
    throw meant.problem === 'ambiguous'
      ? ambiguousId(kind, text, known)
      : notAnId(kind, text, meant.problem, isListed);
  });
}

/** Whether only a list of the service can say what a text stands for: an id or a name that this machine does not know. */
export async function needsList(
  session: Session,
  kind: ObjectKind,
  texts: readonly string[],
  { byName = false }: TextMeaning = {},
): Promise<boolean> {
  const unsure = texts.filter((text) => {
    if (uuidPattern.test(text)) return false;
    const isBeginning = looksLikeId(text);
    if (isBeginning && text.length < minIdLength && !byName) return false;
    // Without a form of their own, other texts are whole ids, which need no list.
    return kindOf(kind).hasUuid || isBeginning || byName;
  });
  if (unsure.length === 0) return false;
  const ids = (await listKnown(session, kind)).map(({ id }) => id);
  return unsure.some((text) => idsBeginningWith(text, ids).length === 0);
}

/** `a dispute`, `an endpoint`. */
function anObject(kind: ObjectKind): string {
  const { one } = kindOf(kind);
  return `${/^[aeiou]/.test(one) ? 'an' : 'a'} ${one}`;
}

/** What a text names that is no id: a field that people know the object by, or `latest`, which several tools understand. */
interface Named {
  /** `the label of a backup`, or `the newest`. */
  readonly what: string;
  /** The newest first. */
  readonly objects: readonly [KnownObject, ...KnownObject[]];
}

/** The objects that the text names, or null. */
function findNamed(kind: ObjectKind, text: string, known: readonly KnownObject[]): Named | null {
  const newestFirst = known.toSorted((one, other) => timeOf(other) - timeOf(one));
  const [newest] = newestFirst;
  if (newest !== undefined && /^(latest|newest|last)$/i.test(text)) return { what: '', objects: [newest] };
  for (const name of kindOf(kind).recognizedBy) {
    const [first, ...others] = newestFirst.filter(({ fields }) => isSameText(fields[name], text));
    if (first !== undefined)
      return { what: `the ${inWords(name)} of ${anObject(kind)}`, objects: [first, ...others] };
  }
  return null;
}

/** `buyer email` for `buyerEmail`. */
const inWords = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const timeOf = ({ fields, seenAt }: KnownObject) => Date.parse(String(fields.createdAt ?? seenAt)) || 0;

function isSameText(value: unknown, text: string): boolean {
  return typeof value === 'string' && value.trim().toLowerCase() === text.trim().toLowerCase();
}

/** Exit 2: a name may stand for several objects, so a change does not take it for an id. The newest ones are suggested. */
function notAName(
  kind: ObjectKind,
  text: string,
  { what, objects }: Named,
  known: readonly KnownObject[],
): CliError {
  const { one, plural, list } = kindOf(kind);
  const ids = known.map(({ id }) => id);
  const isLatest = what === '';
  const which = isLatest ? `, the newest ${one} that this machine has seen` : '';
  const described = objects
    .slice(0, maxNamed)
    .map((object) => `${printable(shortenId(object.id, ids))}${which} (${describeKnown(kind, object)})`);
  const more = objects.length > maxNamed ? ', …' : '';
  const count = objects.length === 1 ? '' : `; ${objects.length} ${plural} have it`;
  return usageError(
    isLatest
      ? `"${printable(text)}" is not the id of ${anObject(kind)}`
      : `"${printable(text)}" is ${what}, not its id${count}`,
    [{ say: `use ${described.join(' or ')}${more}` }, { run: list, rest: 'to see the ids' }],
    { code: 'unknown_id' },
  );
}

/** Whether it may be the beginning of a UUID. */
const looksLikeId = (text: string) => /^[\da-f-]*[^\w]?$/i.test(text);

function notAnId(
  kind: ObjectKind,
  text: string,
  problem: 'too short' | 'unknown',
  isListed: boolean,
): CliError {
  const named = `"${printable(text)}"`;
  const { list, alsoFoundBy, hasUuid } = kindOf(kind);
  const toList = { run: list, rest: 'to see the ids' };
  if ((hasUuid || isListed) && !looksLikeId(text)) {
    const others =
      alsoFoundBy === undefined
        ? []
        : [{ run: [...list, alsoFoundBy.filter, text], rest: `if it is ${alsoFoundBy.what}` }];
    return usageError(`${named} is not the id of ${anObject(kind)}`, [...others, toList], {
      code: 'unknown_id',
    });
  }
  const isShort = problem === 'too short';
  const notWhole = `${named} is not the whole id of ${anObject(kind)}`;
  return usageError(
    isShort
      ? `${named} is too short for the id of ${anObject(kind)}`
      : isListed
        ? `${notWhole}, and no ${kindOf(kind).one} of the store has an id that begins with it`
        : `${notWhole}, and this machine has seen none that begins with it`,
    [
      ...(isShort ? [{ say: `use at least its first ${minIdLength} characters` }] : []),
      ...(isShort || isListed ? [] : [{ say: 'use the whole id' }]),
      toList,
    ],
    { code: isShort ? 'id_too_short' : 'unknown_id' },
  );
}

/** How many objects an error names. */
const maxNamed = 3;

/** Exit 2 that shows which objects the text may stand for: `01a2053d-3c93 (nightly, 2 minutes ago)`. */
function ambiguousId(kind: ObjectKind, text: string, known: readonly KnownObject[]): CliError {
  const ids = known.map(({ id }) => id);
  const meant = idsBeginningWith(text, ids);
  const described = known
    .filter(({ id }) => meant.includes(id))
    .slice(0, maxNamed)
    .map((object) => {
      const about = describeKnown(kind, object);
      return `${printable(shortenId(object.id, ids))}${about === '' ? '' : ` [${about}]`}`;
    });
  const more = meant.length > described.length ? ', …' : '';
  return usageError(
    `"${printable(text)}" matches ${meant.length} ${kindOf(kind).plural}: ${described.join(', ')}${more}`,
    'use more characters of the id',
    { code: 'ambiguous_id' },
  );
}
