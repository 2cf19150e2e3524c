import { line } from '../../../cli/core/sanitize.ts';
import { deleteStore, measureStore } from '../../../service/index.ts';
import { endCommand } from '../operator/end-command.ts';

export const command = endCommand({
  words: 'stores delete',
  description: `Delete a store with everything in it, also its backups: only a copy of the database can bring it back. Its keys
stop working and its messages are not sent from then on, and its slug is free. \`service prune\` then removes its data, which
the service also does once a day.`,
  noun: 'store',
  done: 'Deleted store',
  async loss(storage, id) {
    const { name, posts, backups, disputes, unsent } = await measureStore(storage, id);
    const objects = [counted(posts, 'post'), counted(backups, 'backup'), counted(disputes, 'dispute')];
    return line`Store "${name}" has ${objects.join(', ')} and ${counted(unsent, 'unsent message')}. All of it goes.`;
  },
  run: deleteStore,
});

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
