import type { Context } from '../../../cli/command/context.ts';
import { printJson } from '../../../cli/command/print-json.ts';
import { noticeDone } from '../../../cli/operation/result/print-result.ts';
import { formatMinute } from '../../../cli/output/format-value.ts';

interface NewKey {
  readonly id: string;
  readonly key: string;
  readonly expiresAt: string | null;
}

/** Prints a new key, once. */
export function printKey(
  context: Context,
  created: NewKey,
  storeId: string,
  ...about: readonly string[]
): void {
  const { id, key, expiresAt } = created;
  const expiry = expiresAt === null ? 'never expires' : `expires ${formatMinute(expiresAt)}`;
  noticeDone(context, `Created key ${id} for store ${storeId} (${[...about, expiry].join(', ')})`);
  if (context.flags.json) printJson(context, created);
  else {
    context.print(key);
    context.notice('Copy the key now: it will not be shown again.');
  }
}
