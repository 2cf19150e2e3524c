import { printJson } from '../../../cli/command/print-json.ts';
import type { Ui } from '../../../cli/command/ui.ts';
import { line } from '../../../cli/core/sanitize.ts';
import { noticeDone } from '../../../cli/operation/result/print-result.ts';
import { formatMinute } from '../../../cli/output/format-value.ts';
import type { CreatedKey } from '../../../service/index.ts';

/** Prints a new key, once. */
export function printKey(ui: Ui, created: CreatedKey, storeId: string, ...about: readonly string[]): void {
  const { id, key, expiresAt } = created;
  const expiry = expiresAt === null ? 'never expires' : `expires ${formatMinute(expiresAt)}`;
  noticeDone(ui, `Created key ${id} for store ${storeId} (${[...about, expiry].join(', ')})`);
  if (ui.json) printJson(ui, created);
  else {
    ui.print(line`${key}`);
    ui.notice('Copy the key now: it will not be shown again.');
  }
}
