import type { KnownKind, KnownObject } from '../../../history/objects/known-objects.ts';
import { listKnown } from '../../command/known.ts';
import type { Session } from '../../command/session.ts';
import { describeKnown } from '../../output/describe-known.ts';
import type { Candidates } from '../call/operation-command.ts';

/** Something that this machine made or worked on, which the service does not list. */
export interface KnownId {
  readonly id: string;
  /** Label and age for people, printable. */
  readonly description: string;
  /** Sections of a backup. */
  readonly sections?: readonly string[];
}

/** The ids of a kind of the store in use, newest first: those that fit, if an operation takes only some. */
export async function knownIds(
  session: Session,
  kind: KnownKind,
  fits?: Candidates['fits'],
): Promise<KnownId[]> {
  const objects = await listKnown(session, kind);
  return objects.filter(({ fields }) => fits?.(fields) ?? true).map((object) => describeId(kind, object));
}

function describeId(kind: KnownKind, object: KnownObject): KnownId {
  const { id, fields } = object;
  return {
    id,
    description: describeKnown(kind, object),
    ...(Array.isArray(fields.sections) && { sections: fields.sections.map(String) }),
  };
}
