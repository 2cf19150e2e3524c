import { asObject } from '../../base/json.ts';
import { joined, line } from '../../cli/core/sanitize.ts';
import { memoryOf, showCommand } from '../../cli/operation/lists/show-command.ts';
import { renderIndented, renderRecord, rowsOf } from '../../cli/output/tables.ts';
import { showBackup } from '../../contract/operations/backups.ts';
import { rowsOfRestoring } from './restoring.ts';

export const command = showCommand({
  ...memoryOf('backup'),
  operation: showBackup,
  description: 'Show a backup, and what restoring it now would change.',
  examples: ['backup show 5f0c…', 'backup show 5f0c… --json'],
  show({ response }, { ui }) {
    const { restoring, ...fields } = asObject(response);
    const record = renderRecord(rowsOf(fields), ui.out);
    const changes = rowsOfRestoring(restoring);
    if (changes.length === 0) return record;
    const title = ui.out.color.bold(line`Restoring it now`);
    return joined([record, joined([title, renderIndented(changes, ui.out)], '\n')], '\n\n');
  },
});
