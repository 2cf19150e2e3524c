import type { Operation } from '../../../contract/operation.ts';
import { createBackup, restoreBackup } from '../../../contract/operations/backups.ts';
import { decideDispute, openDispute, showDispute } from '../../../contract/operations/disputes.ts';
import { markNotificationsRead } from '../../../contract/operations/notifications.ts';
import { appealReclaim } from '../../../contract/operations/reclaims.ts';
import type { HistoryRecord } from '../../../history/records/record.ts';
import type { Context } from '../../command/context.ts';
import type { Demo } from '../../command/demo-service.ts';
import { demoProfile } from '../../config/connection-settings.ts';
import { getPath } from '../../core/field-path.ts';
import { printable } from '../../core/sanitize.ts';
import { formatDistance } from '../../output/format-value.ts';
import { answerBody } from '../../output/record-summary.ts';

/** Something that this machine made or worked on, which the service does not list. */
export interface KnownId {
  readonly id: string;
  /** Label and age for people, printable. */
  readonly description: string;
  readonly status?: string;
  /** Sections of a backup. */
  readonly sections?: readonly string[];
}

/** Operations whose history names ids that another operation takes. */
const sources: Readonly<Record<string, readonly Operation[]>> = {
  [restoreBackup.id]: [createBackup],
  [showDispute.id]: [openDispute, decideDispute],
  [decideDispute.id]: [openDispute, decideDispute],
  [appealReclaim.id]: [appealReclaim],
};

/** The ids that fit the operation's path, of the store in use, newest first. */
export async function knownIds(context: Context, operation: Operation): Promise<KnownId[]> {
  const { profile } = await context.settings();
  const known = await fromHistory(context, operation);
  if (profile !== demoProfile) return known.filter((item) => isWanted(operation, item));
  // The service of the demo runs in this process, which sees what it holds.
  const listed = listExample(await context.demo(), operation).map((item) => {
    const earlier = known.find(({ id }) => id === item.id);
    return { ...earlier, ...item, description: describeWords(item.words, earlier?.age) };
  });
  return listed.reverse().filter((item) => isWanted(operation, item));
}

/** A decision is final, and a notice takes one appeal. */
function isWanted({ id }: Operation, { status }: KnownId): boolean {
  if (id === decideDispute.id) return status === 'open';
  return id !== appealReclaim.id || status !== 'appealed';
}

type Aged = KnownId & { readonly age: string };

async function fromHistory(context: Context, operation: Operation): Promise<Aged[]> {
  const from = sources[operation.id] ?? [];
  if (from.length === 0) return [];
  const { profile, storeId, baseUrl } = await context.settings();
  const { records } = await (await context.history()).list({
    storeId: storeId?.value,
    origin: profile === demoProfile ? profile : baseUrl?.value.origin,
  });
  const known = new Map<string, Aged>();
  for (const record of records) {
    if (!from.some(({ id }) => id === record.operation)) continue;
    const item = describe(record, context.now());
    // The newest record of a dispute says whether it can still be decided.
    if (item !== null && !known.has(item.id)) known.set(item.id, item);
  }
  return [...known.values()];
}

function describe(record: HistoryRecord, now: number): Aged | null {
  const body = answerBody(record);
  const id = getPath(body, ['id']) ?? pathId(record);
  if (typeof id !== 'string') return null;
  const words = [getPath(body, ['label']), getPath(body, ['status']), getPath(body, ['reason'])];
  const age = formatDistance(Date.parse(record.createdAt) - now);
  const sections = getPath(body, ['sections']);
  const status = getPath(body, ['status']);
  return {
    id,
    age,
    description: describeWords(words, age),
    ...(typeof status === 'string' && { status }),
    ...(Array.isArray(sections) && { sections: sections.map(String) }),
  };
}

function describeWords(words: readonly unknown[], age: string | undefined): string {
  return [...words, age]
    .filter((word) => typeof word === 'string')
    .map((word) => printable(word.slice(0, 50)))
    .join(', ');
}

/** The id in `/disputes/{id}/decision`, where the service did not refuse it: it may well not be there. */
function pathId({ path, state }: HistoryRecord): string | null {
  const [, id] = /\/([^/]+)\/(?:decision|appeal)$/.exec(path) ?? [];
  return id === undefined || state === 'rejected' ? null : decodeURIComponent(id);
}

/** What the example store holds that the operation is about, oldest first. */
function listExample(
  { example }: Demo,
  { id: operation }: Operation,
): (Omit<KnownId, 'description'> & { readonly words: readonly unknown[] })[] {
  switch (operation) {
    case restoreBackup.id:
      return example.backups.map(({ id, label, sections }) => ({ id, sections, words: [label] }));
    case showDispute.id:
    case decideDispute.id:
      return example.disputes.map(({ id, status, reason }) => ({ id, status, words: [status, reason] }));
    case appealReclaim.id:
      return example.reclaims.map(({ id, status, subdomain }) => ({
        id,
        status,
        words: [subdomain, status],
      }));
    case markNotificationsRead.id:
      return example.notifications
        .filter(({ read }) => !read)
        .map(({ id, title }) => ({ id, words: [title] }));
    default:
      return [];
  }
}
