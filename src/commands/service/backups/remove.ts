import { line } from '../../../cli/core/sanitize.ts';
import { removeBackup } from '../../../service/index.ts';
import { endCommand } from '../operator/end-command.ts';

export const command = endCommand({
  words: 'backups remove',
  description: 'Remove a backup of a store. The store keeps what it has.',
  noun: 'backup',
  done: 'Removed backup',
  loss: line`Nobody can restore a removed backup.`,
  run: removeBackup,
});
