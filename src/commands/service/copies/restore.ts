import type { CommandDefinition } from '../../../cli/command/command-definition.ts';
import { line } from '../../../cli/core/sanitize.ts';
import { restoreDatabase } from '../../../service/index.ts';
import { databaseOption } from '../operator/database-options.ts';
import { fileOfCopy, fileOfDatabase, onFiles, printCopy } from './database-copies.ts';

export const command: CommandDefinition = {
  description: `Put a copy from \`service backup\` in the place of the embedded database. Stop the service first. A database with newer
changes is never replaced: move it away, then restore. One with older changes is kept beside the copy, under another name.`,
  arguments: [{ name: 'copy', description: 'Copy to restore' }],
  options: [databaseOption],
  examples: [
    'service restore service-2030-01-31.db',
    'service restore /backups/service.db --database service.db',
  ],
  async run({ ui, session, parsed }) {
    const file = await fileOfCopy(ui, parsed, 'copy to restore', 'Copy to restore (a file)');
    const place = fileOfDatabase(session, parsed, 'pg_restore');
    const restored = await onFiles(session, file, place, (location, copy) => restoreDatabase(copy, location));
    printCopy(ui, `Restored ${place} from ${restored.file}`, restored);
    if (restored.replaced !== null && !ui.quiet && !ui.json)
      ui.notice(line`The database from before is in ${restored.replaced}.`);
    return undefined;
  },
};
