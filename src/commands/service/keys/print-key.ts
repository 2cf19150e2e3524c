import { printJson } from '../../../cli/command/print-json.ts';
import type { Ui } from '../../../cli/command/ui.ts';
import { line } from '../../../cli/core/sanitize.ts';
import { printSuccess } from '../../../cli/operation/result/print-result.ts';
import { formatMinute } from '../../../cli/output/format-value.ts';
import type { CreatedKey } from '../../../service/index.ts';
import type { KeyFile } from './key-file.ts';

/** Prints a new key, once, or writes it to a file. */
export function printKey(
  ui: Ui,
  file: KeyFile | null,
  created: CreatedKey,
  storeId: string,
  ...about: readonly string[]
): void {
  const { id, key, expiresAt } = created;
  const expiry = expiresAt === null ? 'never expires' : `expires ${formatMinute(expiresAt)}`;
  printSuccess(ui, `Created key ${id} for store ${storeId} (${[...about, expiry].join(', ')})`);
  file?.write(key);
  if (file !== null) {
    const { key: _, ...shown } = created;
    if (ui.json) printJson(ui, { ...shown, file: file.name });
    else ui.notice(line`The key is in ${file.name}, which only you can read.`);
  } else if (ui.json) printJson(ui, created);
  else {
    ui.print(line`${key}`);
    ui.notice('Copy the key now: it will not be shown again.');
  }
}
