import type { KnownKind, KnownObject } from '../../history/known-objects.ts';
import { demoProfile } from '../config/connection-settings.ts';
import { historyDirectory } from '../config/directories.ts';
import { CliError } from '../core/errors.ts';
import { isObject } from '../core/json-value.ts';
import type { Connection, Context } from './context.ts';
import { completeId, minIdLength } from './short-id.ts';

/** The objects of a kind that this machine knows, of the store in use, the last seen first. */
export async function listKnown(context: Context, kind: KnownKind): Promise<KnownObject[]> {
  // Loaded on demand: most commands take whole ids.
  const { knownObjects } = await import('../../history/known-objects.ts');
  const { readSeen } = await import('../../history/seen-objects.ts');
  const { profile, storeId, baseUrl } = await context.settings();
  const origin = profile === demoProfile ? profile : baseUrl?.value.origin;
  const history = await context.history();
  const { records } = await history.list({ storeId: storeId?.value, origin });
  const seen = readSeen(history.folder).filter(
    (object) =>
      (storeId === null || object.storeId === storeId.value) &&
      (origin === undefined || object.origin === origin),
  );
  const known = knownObjects(kind, records, seen);
  if (profile !== demoProfile) return known;
  // The service of the demo runs in this process, so it can list what the example store has.
  const { example } = await context.demo();
  const oldestFirst: readonly { readonly id: string }[] = example[`${kind}s`];
  return oldestFirst
    .map(({ id, ...fields }) => ({
      id,
      seenAt: known.find((object) => object.id === id)?.seenAt ?? '',
      fields,
    }))
    .reverse();
}

/** A whole id, which need not be looked up. */
const wholeId = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * The ids that these texts stand for: an id may be abbreviated to its unique beginning. Text that no known id begins with
 * stays as it is. Throws exit 2 if several do.
 */
export async function completeKnownIds(
  context: Context,
  kind: KnownKind,
  texts: readonly string[],
): Promise<string[]> {
  const isShort = (text: string) => text.length >= minIdLength && !wholeId.test(text);
  if (!texts.some(isShort)) return [...texts];
  const known = (await listKnown(context, kind)).map(({ id }) => id);
  return texts.map((text) => (isShort(text) ? completeId(text, known) : text));
}

/** As {@link completeKnownIds}, for one id. */
export async function completeKnownId(context: Context, kind: KnownKind, text: string): Promise<string> {
  return (await completeKnownIds(context, kind, [text]))[0] ?? text;
}

/** Keeps what a read showed of a dispute. The demo store can list its disputes itself. */
export async function rememberDispute(
  { io, now }: Context,
  { profile, origin, storeId }: Connection,
  dispute: unknown,
): Promise<void> {
  if (profile === demoProfile || !isObject(dispute) || typeof dispute.id !== 'string') return;
  const { rememberSeen } = await import('../../history/seen-objects.ts');
  const { id, kind, status, reason, deadlineAt, createdAt } = dispute;
  const fields = { kind, status, reason, deadlineAt, createdAt };
  const seenAt = new Date(now()).toISOString();
  try {
    rememberSeen(historyDirectory(io, profile), { kind: 'dispute', id, seenAt, origin, storeId, fields });
  } catch (error) {
    // Without a home folder there is no place for it, and the read itself succeeded.
    if (!(error instanceof CliError)) throw error;
  }
}
