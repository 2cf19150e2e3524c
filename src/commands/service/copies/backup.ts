import { shellWord } from '../../../base/shell-word.ts';
import type { CommandDefinition } from '../../../cli/command/command-definition.ts';
import { line } from '../../../cli/core/sanitize.ts';
import { copyDatabase } from '../../../service/index.ts';
import { databaseOption } from '../operator/database-options.ts';
import { fileOfCopy, fileOfDatabase, onFiles, printCopy } from './database-copies.ts';

export const command: CommandDefinition = {
  description: `Copy the embedded database into a new file, while the service runs. The copy is one consistent snapshot, checked, and
readable by you alone: it contains webhook URLs. For PostgreSQL use pg_dump, as docs/operating.md says.`,
  arguments: [{ name: 'copy', description: 'File to create' }],
  options: [databaseOption],
  examples: [
    'service backup service-2030-01-31.db',
    'service backup /backups/service.db --database service.db',
  ],
  async run({ ui, session, parsed }) {
    const file = await fileOfCopy(ui, parsed, 'file to create', 'File to create');
    const place = fileOfDatabase(session, parsed, 'pg_dump');
    const copy = await onFiles(session, file, place, copyDatabase);
    printCopy(ui, `Copied ${place} to ${copy.file}`, copy);
    if (!ui.quiet && !ui.json)
      ui.notice(
        line`Try it: \`storectl service start --no-delivery --port 0 --database ${shellWord(copy.file, ui.io.process.platform)}\``,
      );
    return undefined;
  },
};
