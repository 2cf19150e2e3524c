import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { giveReclaimNotice, type Storage } from '../../service/index.ts';
import { askForStoreAnd } from './ask.ts';
import { databaseOption, withStorage } from './database-options.ts';
import { printAdded } from './print-added.ts';

const subdomain = {
  field: 'subdomain',
  give: '--subdomain NAME',
  description: 'subdomain that the platform reclaims',
  question: 'Subdomain',
};
const reason = {
  field: 'reason',
  give: '--reason TEXT',
  description: 'why it is reclaimed',
  question: 'Reason',
};

export const command: CommandDefinition = {
  description: `Add a reclaim notice for a store's subdomain. The store is notified and can appeal with \`reclaim appeal\`. This needs
write access to the database, not a key.`,
  options: [
    { flag: '--subdomain', value: 'NAME', description: 'Subdomain that the platform reclaims' },
    { flag: '--reason', value: 'TEXT', description: 'Why it is reclaimed; the store owner sees it' },
    databaseOption,
  ],
  listedGlobals: ['--store'],
  examples: ['service add-reclaim --store 4be5… --subdomain juniper --reason "Trademark claim"'],
  async run(context, parsed) {
    const store = { description: 'store that gets the notice', question: 'Which store gets the notice?' };
    const [storeId = '', name = '', text = ''] = await askForStoreAnd(context, parsed, store, [
      subdomain,
      reason,
    ]);
    const give = (storage: Storage) => giveReclaimNotice(storage, storeId, { subdomain: name, reason: text });
    const notice = await withStorage(context, parsed, give, {
      hint: 'check --store and --database; nothing was added',
      flags: { subdomain: '--subdomain', reason: '--reason' },
    });
    printAdded(context, `Added a reclaim notice for ${name} to store ${storeId}`, notice);
  },
};
