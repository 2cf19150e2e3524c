import type { History, Recorded } from '../history.ts';
import { intentOf } from '../intent.ts';
import type { Intent } from '../journal/history-record.ts';
import { rulesOf } from '../operation-rules.ts';

/** How a backup is made before a change that destroys something. */
export interface SafetyBackup {
  readonly label: string;
  /** A new idempotency key: a safety backup is never one that was made before. */
  makeKey(): string;
}

/** The backup that has to come before a change, or undefined. It belongs to that change alone. */
export function safetyIntent(
  { journal }: History,
  intent: Intent,
  { label, makeKey }: SafetyBackup,
): Intent | undefined {
  const { preparation } = rulesOf(intent.operation);
  if (preparation === undefined) return undefined;
  const body = { ...preparation.body(intent, label), idempotencyKey: makeKey() };
  const { operation, path, body: prepared } = intent;
  return {
    ...intentOf({ operation: preparation.operation, body }, journal.store.storeId),
    prepares: JSON.stringify({ operation, path, body: prepared }),
  };
}

/** The id in the response of an applied change, or null. */
export function producedId({ outcome }: Recorded): string | null {
  if (outcome.kind !== 'applied') return null;
  const { id } = Object(outcome.body);
  return typeof id === 'string' ? id : null;
}
