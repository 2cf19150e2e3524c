import { createBackup, restoreBackup } from '../contract/backups.ts';
import { decideDispute, openDispute, showDispute } from '../contract/disputes.ts';
import type { Operation } from '../contract/operation.ts';
import { appealReclaim } from '../contract/reclaims.ts';
import type { HistoryRecord } from '../history/record.ts';
import type { Context } from './context.ts';
import { answerBody } from './history-view.ts';
import { getPath } from './paths.ts';
import { printable } from './sanitize.ts';
import { demoProfile } from './settings.ts';
import { formatDistance } from './values.ts';

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
  const from = sources[operation.id] ?? [];
  if (from.length === 0) return [];
  const { profile, storeId, baseUrl } = await context.settings();
  const { records } = await (await context.history()).list({
    storeId: storeId?.value,
    origin: profile === demoProfile ? profile : baseUrl?.value.origin,
  });
  const known = new Map<string, KnownId>();
  for (const record of records) {
    if (!from.some(({ id }) => id === record.operation)) continue;
    const item = describe(record, context.now());
    if (item !== null && !known.has(item.id)) known.set(item.id, item);
  }
  // A decision is final: the newest record of a dispute says whether it can still be decided.
  return [...known.values()].filter(({ status }) => operation.id !== decideDispute.id || status === 'open');
}

function describe(record: HistoryRecord, now: number): KnownId | null {
  const body = answerBody(record);
  const id = getPath(body, ['id']) ?? pathId(record);
  if (typeof id !== 'string') return null;
  const words = [getPath(body, ['label']), getPath(body, ['status']), getPath(body, ['reason'])]
    .filter((word) => typeof word === 'string')
    .map((word) => printable(word.slice(0, 50)));
  const age = formatDistance(Date.parse(record.createdAt) - now);
  const sections = getPath(body, ['sections']);
  const status = getPath(body, ['status']);
  return {
    id,
    description: [...words, age].join(', '),
    ...(typeof status === 'string' && { status }),
    ...(Array.isArray(sections) && { sections: sections.map(String) }),
  };
}

/** The id in `/disputes/{id}/decision`, where the service did not refuse it: it may well not be there. */
function pathId({ path, state }: HistoryRecord): string | null {
  const [, id] = /\/([^/]+)\/(?:decision|appeal)$/.exec(path) ?? [];
  return id === undefined || state === 'rejected' ? null : decodeURIComponent(id);
}
