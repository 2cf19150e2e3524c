import { giveReclaimNotice, type Storage } from '../../../service/index.ts';
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
  async run({ need, open, printChanged }) {
    const needed = await need(['--store', '--subdomain', '--reason']);
    const { '--store': store, '--subdomain': subdomain, '--reason': reason } = needed;
    const options = { flags: { subdomain: '--subdomain', reason: '--reason' } };
    const add = (storage: Storage) => giveReclaimNotice(storage, store, { subdomain, reason });
    printChanged(`Added a reclaim notice for ${subdomain} to store ${store}`, await open(add, options));
  },
});
