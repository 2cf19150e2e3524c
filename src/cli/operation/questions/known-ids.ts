import type { Operation } from '../../../contract/operation.ts';
import { restoreBackup } from '../../../contract/operations/backups.ts';
import { decideDispute, showDispute } from '../../../contract/operations/disputes.ts';
import { markNotificationsRead } from '../../../contract/operations/notifications.ts';
import { appealReclaim } from '../../../contract/operations/reclaims.ts';
import type { KnownKind, KnownObject } from '../../../history/objects/known-objects.ts';
import { listKnown } from '../../command/known.ts';
import type { Session } from '../../command/session.ts';
import { describeKnown } from '../../output/describe-known.ts';

/** Something that this machine made or worked on, which the service does not list. */
export interface KnownId {
  readonly id: string;
  /** Label and age for people, printable. */
  readonly description: string;
  /** Sections of a backup. */
  readonly sections?: readonly string[];
}

/** What the ids of an operation stand for. */
const kinds: Readonly<Record<string, KnownKind>> = {
  [restoreBackup.id]: 'backup',
  [showDispute.id]: 'dispute',
  [decideDispute.id]: 'dispute',
  [appealReclaim.id]: 'reclaim',
  [markNotificationsRead.id]: 'notification',
};

/** All ids of the kind that the operation takes, whether they fit it or not. */
export async function allIds(session: Session, operation: Operation): Promise<string[]> {
  const kind = kinds[operation.id];
  return kind === undefined ? [] : (await listKnown(session, kind)).map(({ id }) => id);
}

/** The ids that fit the operation, of the store in use, newest first. */
export async function knownIds(session: Session, operation: Operation): Promise<KnownId[]> {
  const kind = kinds[operation.id];
  if (kind === undefined) return [];
  const objects = (await listKnown(session, kind)).filter((object) => isWanted(operation, object));
  return objects.map((object) => ({
    id: object.id,
    description: describeKnown(kind, object, Date.now()),
    ...(Array.isArray(object.fields.sections) && { sections: object.fields.sections.map(String) }),
  }));
}

/** A decision is final, a notice takes one appeal, and a notification is read once. */
function isWanted({ id }: Operation, { fields }: KnownObject): boolean {
  if (id === decideDispute.id) return fields.status === 'open';
  if (id === appealReclaim.id) return fields.status !== 'appealed';
  return id !== markNotificationsRead.id || fields.read !== true;
}
