import { argumentValue } from '../../../cli/core/parsed-command.ts';
import { argumentNeeded, confirmOption } from '../../../cli/prompts/confirm-or-fail.ts';
import { deleteStore, measureStore } from '../../../service/index.ts';
import { confirmId } from '../operator/ask.ts';
import { operatorCommand } from '../operator/operator-command.ts';

export const command = operatorCommand({
  description: `Delete a store with everything in it, also its backups: only a copy of the database can bring it back. Its keys
stop working and its messages are not sent from then on, and its slug is free. \`service prune\` then removes its data.`,
  arguments: [{ name: 'storeId', description: 'ID of the store, from `service stores list`' }],
  options: [confirmOption('STOREID', 'id of the store')],
  examples: ['service stores delete 4be5…', 'service stores delete 4be5… --confirm 4be5…'],
  async run({ ui, parsed, open, next, printChanged }) {
    const storeId = argumentValue(parsed, 'storeId');
    if (storeId === undefined)
      throw argumentNeeded('storeId', `store to delete, from \`${next('stores list')}\``);
    const { name, posts, backups, disputes, unsent } = await open((storage) =>
      measureStore(storage, storeId),
    );
    const objects = [counted(posts, 'post'), counted(backups, 'backup'), counted(disputes, 'dispute')];
    ui.notice(`Store "${name}" has ${objects.join(', ')} and ${counted(unsent, 'unsent message')}.`);
    await confirmId(ui, parsed, storeId, 'Type the id of the store to delete all of that');
    await open((storage) => deleteStore(storage, storeId));
    printChanged(`Deleted store "${name}"`, { id: storeId });
    ui.notice(`Its data goes with the next \`${next('prune')}\`, which the service runs once a day.`);
  },
});

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
