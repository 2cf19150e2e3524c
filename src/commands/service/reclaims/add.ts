import { giveReclaimNotice } from '../../../service/index.ts';
import { askForStoreAnd } from '../operator/ask.ts';
import { operatorCommand } from '../operator/operator-command.ts';

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

export const command = operatorCommand({
  description: `Add a reclaim notice for a store's subdomain. The store is notified and can appeal with \`reclaim appeal\`. This needs
write access to the database, not a key.`,
  options: [
    { flag: '--subdomain', value: 'NAME', description: 'Subdomain that the platform reclaims' },
    { flag: '--reason', value: 'TEXT', description: 'Why it is reclaimed; the store owner sees it' },
  ],
  listedGlobals: ['--store'],
  examples: ['service reclaims add --store 4be5… --subdomain juniper --reason "Trademark claim"'],
  async run(operator) {
    const { open, printChanged } = operator;
    const store = { description: 'store that gets the notice', question: 'Which store gets the notice?' };
    const [storeId = '', name = '', text = ''] = await askForStoreAnd(operator, store, [subdomain, reason]);
    const given = { subdomain: name, reason: text };
    const notice = await open((storage) => giveReclaimNotice(storage, storeId, given), {
      hint: 'check --store and --database',
      flags: { subdomain: '--subdomain', reason: '--reason' },
    });
    printChanged(`Added a reclaim notice for ${name} to store ${storeId}`, notice);
  },
});
