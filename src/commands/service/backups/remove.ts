import { removeBackup } from '../../../service/index.ts';
import { objectCommand } from '../operator/object-command.ts';

export const command = objectCommand({
  description: 'Remove a backup of a store. The store keeps what it has.',
  noun: 'backup',
  list: 'backups list',
  done: 'Removed backup',
  question: 'Nobody can restore the backup any more.',
  examples: ['service backups remove 019a…', 'service backups remove 019a… --confirm 019a…'],
  run: removeBackup,
});
