import { asObject } from '../contract/json-object.ts';
import { isOpen, type RecordOutline } from './records/outline.ts';

/** Whether a post that was created still exists, by the restores that this machine knows. */
export type Fate = 'exists' | 'gone' | 'maybe';

/** When the service did something: between the start of its request and its answer, by this machine's clock. */
interface Span {
  readonly from: number;
  readonly to: number;
  /** By the clock of the service; NaN if it did not say. */
  readonly served: number;
}

interface Restore {
  readonly span: Span;
  /** Null if this machine does not know when the backup was made. */
  readonly backup: Span | null;
  readonly safetyBackup: Span | null;
}

/**
 * Tells the fate of applied posts from all records of their store. `gone` is certain, because such a post is created
 * again: it is newer than the backup that the last restore brought back, and older than that restore.
 */
export function fatesOfPosts(records: readonly RecordOutline[]): (post: RecordOutline) => Fate {
  const backups = new Map<unknown, Span>();
  for (const record of records) {
    if (record.operation !== 'backup.create' || record.state !== 'applied') continue;
    backups.set(parse(record.answer?.body).id, spanOf(record));
  }
  const restores = records.filter(mayHaveRestoredPosts).map((record): Restore => {
    const id = decodeURIComponent(record.path.split('/').at(-2) ?? '');
    const safetyBackup = backups.get(record.safetyBackupId) ?? null;
    return { span: spanOf(record), backup: backups.get(id) ?? null, safetyBackup };
  });
  return (post) => (restores.length === 0 ? 'exists' : fateAt(null, spanOf(post), restores));
}

/** Whether the post existed when a backup was made; null is now. */
function fateAt(backedUp: Span | null, post: Span, restores: readonly Restore[]): Fate {
  const [last, ...others] = restores
    .filter(({ span }) => !isAfter(post, span) && (backedUp === null || !isAfter(span, backedUp)))
    .sort((one, other) => other.span.from - one.span.from);
  if (last === undefined) return 'exists';
  const { span, backup, safetyBackup } = last;
  const isOrdered =
    [post, ...others.map((other) => other.span)].every((earlier) => isAfter(span, earlier)) &&
    (backedUp === null || isAfter(backedUp, span));
  if (!isOrdered || !Number.isFinite(span.to) || backup === null || !isAfter(span, backup)) return 'maybe';
  if (isAfter(backup, post)) return fateAt(backup, post, restores);
  // The clock of this machine may have been set since.
  const isServedOtherwise =
    post.served <= backup.served || (safetyBackup !== null && safetyBackup.served < post.served);
  return isAfter(post, backup) && !isServedOtherwise ? 'gone' : 'maybe';
}

function isAfter(one: Span, other: Span): boolean {
  return one.from >= other.to;
}

function mayHaveRestoredPosts({ operation, state, body }: RecordOutline): boolean {
  const { sections } = parse(body);
  const isSent = state === 'applied' || state === 'sent' || state === 'unknown';
  return operation === 'backup.restore' && isSent && Array.isArray(sections) && sections.includes('blog');
}

/** Without an answer, it may still happen. */
function spanOf(record: RecordOutline): Span {
  const { createdAt, answer } = record;
  const isAnswered = !isOpen(record) && answer !== null;
  const served = Date.parse(String(parse(answer?.body).createdAt));
  return {
    from: Date.parse(createdAt),
    to: isAnswered ? Date.parse(answer.receivedAt) : Number.POSITIVE_INFINITY,
    served,
  };
}

function parse(text: string | null | undefined): Record<string, unknown> {
  try {
    return asObject(JSON.parse(text ?? ''));
  } catch {
    return {};
  }
}
