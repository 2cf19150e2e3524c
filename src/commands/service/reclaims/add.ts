import { giveReclaimNotice, type Storage } from '../../../service/index.ts';
import { readInputs, storeInput } from '../operator/inputs.ts';
import { operatorCommand } from '../operator/operator-command.ts';

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
    const { store, subdomain, reason } = readInputs(operator, {
      store: storeInput('store that gets the notice'),
      subdomain: { give: '--subdomain NAME', description: 'subdomain that the platform reclaims' },
      reason: { give: '--reason TEXT', description: 'why it is reclaimed' },
    });
    const options = { flags: { subdomain: '--subdomain', reason: '--reason' } };
    const add = (storage: Storage) => giveReclaimNotice(storage, store, { subdomain, reason });
    const notice = await operator.open(add, options);
    operator.printChanged(`Added a reclaim notice for ${subdomain} to store ${store}`, notice);
  },
});
