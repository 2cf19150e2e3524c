import { kindOf, type ObjectKind } from '../../../contract/objects.ts';
import type { KnownObject } from '../../../history/objects/known-objects.ts';
import { listKnown, rememberObjects } from '../../command/known.ts';
import type { Run } from '../call/run.ts';
import { listForHelp } from '../send/ask-service.ts';

/** Objects to choose from. */
export interface Choices {
  readonly offered: readonly KnownObject[];
  /** All objects of the kind that this machine knows. A short id stands for one of them. */
  readonly known: readonly KnownObject[];
  /** Whether the service has listed the objects, so that only older ones may be missing. */
  readonly isListed: boolean;
}

/** The objects that the service lists, or else those that this machine has seen. */
export async function findChoices(
  { session, target, request }: Pick<Run, 'session' | 'target' | 'request'>,
  kind: ObjectKind,
): Promise<Choices> {
  const { candidates } = request.operation;
  // Loaded on demand: nearly all commands are given their id.
  const { findOperation } = await import('../../../contract/operations/operations.ts');
  const operation = findOperation(kindOf(kind).list.join('.'));
  const question = operation && { operation, query: candidates?.query ?? {} };
  const listed = question === undefined ? null : await listForHelp(session, target, question);
  if (listed !== null) await rememberObjects(session, kind, listed);
  const known = await listKnown(session, kind);
  const offered =
    listed?.flatMap(({ id, createdAt, ...fields }) =>
      typeof id === 'string' ? [{ id, seenAt: String(createdAt ?? ''), fields }] : [],
    ) ?? known;
  const fits = ({ fields }: KnownObject) => candidates?.fits(fields) ?? true;
  const place = ({ fields }: KnownObject) => candidates?.order?.(fields) ?? 0;
  const fitting = offered.filter(fits).toSorted((one, other) => place(one) - place(other));
  return { offered: fitting, known, isListed: listed !== null };
}
