import type { Operation } from '../../../contract/operation.ts';
import { restoreBackup } from '../../../contract/operations/backups.ts';
import { decideDispute, showDispute } from '../../../contract/operations/disputes.ts';
import { markNotificationsRead } from '../../../contract/operations/notifications.ts';
import { appealReclaim } from '../../../contract/operations/reclaims.ts';
import { type KnownKind, type KnownObject, knownObjects } from '../../../history/known-objects.ts';
import type { Context } from '../../command/context.ts';
import type { Demo } from '../../command/demo-service.ts';
import { demoProfile } from '../../config/connection-settings.ts';
import { describeAged, describeKnown } from '../../output/describe-known.ts';

/** Something that this machine made or worked on, which the service does not list. */
export interface KnownId {
  readonly id: string;
  /** Label and age for people, printable. */
  readonly description: string;
  readonly status?: string;
  /** Sections of a backup. */
  readonly sections?: readonly string[];
}

/** What the id in the path of an operation stands for. */
const kinds: Readonly<Record<string, KnownKind>> = {
  [restoreBackup.id]: 'backup',
  [showDispute.id]: 'dispute',
  [decideDispute.id]: 'dispute',
  [appealReclaim.id]: 'reclaim',
};

/** The ids that fit the operation's path, of the store in use, newest first. */
export async function knownIds(context: Context, operation: Operation): Promise<KnownId[]> {
  const { profile } = await context.settings();
  const kind = kinds[operation.id];
  const known = kind === undefined ? [] : await objectsInHistory(context, kind);
  const objects = profile === demoProfile ? await inExample(context, operation, known) : known;
  return objects
    .map(({ id, createdAt, fields }) => ({
      id,
      description:
        kind === undefined
          ? describeAged([fields.title], createdAt, context.now())
          : describeKnown(kind, { fields, createdAt }, context.now()),
      ...(typeof fields.status === 'string' && { status: fields.status }),
      ...(Array.isArray(fields.sections) && { sections: fields.sections.map(String) }),
    }))
    .filter((item) => isWanted(operation, item));
}

/** A decision is final, and a notice takes one appeal. */
function isWanted({ id }: Operation, { status }: KnownId): boolean {
  if (id === decideDispute.id) return status === 'open';
  return id !== appealReclaim.id || status !== 'appealed';
}

async function objectsInHistory(context: Context, kind: KnownKind): Promise<KnownObject[]> {
  const { profile, storeId, baseUrl } = await context.settings();
  const { records } = await (await context.history()).list({
    storeId: storeId?.value,
    origin: profile === demoProfile ? profile : baseUrl?.value.origin,
  });
  return knownObjects(kind, records);
}

/** The service of the demo runs in this process, so it can list what the example store holds. Newest first. */
async function inExample(
  context: Context,
  operation: Operation,
  known: readonly KnownObject[],
): Promise<KnownObject[]> {
  const { example } = await context.demo();
  return listExample(example, operation)
    .map(({ id, ...fields }) => {
      const createdAt = known.find((object) => object.id === id)?.createdAt ?? '';
      return { id, createdAt, fields };
    })
    .reverse();
}

type Listed = Readonly<Record<string, unknown>> & { readonly id: string };

/** Oldest first. */
function listExample(example: Demo['example'], operation: Operation): readonly Listed[] {
  switch (operation.id) {
    case restoreBackup.id:
      return example.backups.map(({ id, label, sections }) => ({ id, label, sections }));
    case showDispute.id:
    case decideDispute.id:
      return example.disputes.map(({ id, status, reason }) => ({ id, status, reason }));
    case appealReclaim.id:
      return example.reclaims.map(({ id, status, subdomain }) => ({ id, status, subdomain }));
    case markNotificationsRead.id:
      return example.notifications.filter(({ read }) => !read).map(({ id, title }) => ({ id, title }));
    default:
      return [];
  }
}
