import { asObject, parseJson } from '../base/json.ts';
import { isOpen, type RecordOutline } from './records/outline.ts';

/** Whether a post or endpoint that was created still exists, by the restores that this machine knows. */
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

/** The section of a backup that holds what an operation creates. */
const sectionOf: Readonly<Partial<Record<string, string>>> = {
  'blog.create': 'blog',
  'notify.add-endpoint': 'endpoints',
};

/**
 * Tells the fate of what an applied operation created from all records of its store. `gone` is certain, because such an
 * item is created again: it is newer than the backup that the last restore brought back, and older than that restore.
 */
export function fatesAfterRestores(
  operation: string,
  records: readonly RecordOutline[],
): (item: RecordOutline) => Fate {
  const section = sectionOf[operation];
  if (section === undefined) return () => 'exists';
  const backups = new Map<unknown, Span>();
  for (const record of records) {
    if (record.operation !== 'backup.create' || record.state !== 'applied') continue;
    backups.set(parse(record.answer?.body).id, spanOf(record));
  }
  const restores = records.filter(mayHaveRestored(section)).map((record): Restore => {
    const id = decodeURIComponent(record.path.split('/').at(-2) ?? '');
    const safetyBackup = backups.get(record.safetyBackupId) ?? null;
    return { span: spanOf(record), backup: backups.get(id) ?? null, safetyBackup };
  });
  return (item) => (restores.length === 0 ? 'exists' : fateAt(null, spanOf(item), restores));
}

/** Whether the item existed when a backup was made; null is now. */
function fateAt(backedUp: Span | null, item: Span, restores: readonly Restore[]): Fate {
  const [last, ...others] = restores
    .filter(({ span }) => !isAfter(item, span) && (backedUp === null || !isAfter(span, backedUp)))
    .sort((one, other) => other.span.from - one.span.from);
  if (last === undefined) return 'exists';
  const { span, backup, safetyBackup } = last;
  const isOrdered =
    [item, ...others.map((other) => other.span)].every((earlier) => isAfter(span, earlier)) &&
    (backedUp === null || isAfter(backedUp, span));
  if (!isOrdered || !Number.isFinite(span.to) || backup === null || !isAfter(span, backup)) return 'maybe';
  if (isAfter(backup, item)) return fateAt(backup, item, restores);
  // The clock of this machine may have been set since.
  const isServedOtherwise =
    item.served <= backup.served || (safetyBackup !== null && safetyBackup.served < item.served);
  return isAfter(item, backup) && !isServedOtherwise ? 'gone' : 'maybe';
}

function isAfter(one: Span, other: Span): boolean {
  return one.from >= other.to;
}

function mayHaveRestored(section: string) {
  return ({ operation, state, body }: RecordOutline): boolean => {
    const { sections } = parse(body);
    const isSent = state === 'applied' || state === 'sent' || state === 'unknown';
    return operation === 'backup.restore' && isSent && Array.isArray(sections) && sections.includes(section);
  };
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
  return asObject(parseJson(text));
}
