import { operationCommand } from '../../cli/operation/define-operation.ts';
import { askWhatChanges } from '../../cli/operation/questions/nothing-to-change.ts';
import { updateStore } from '../../contract/operations/store.ts';

export const command = operationCommand({
  operation: updateStore,
  description: `Update the store. Only the fields you give change. --set FIELD=null clears a field;
--set settings.socials.discord=null removes a social profile.
Flags leave out "settings." (--cashback-bp); --set needs it (settings.cashbackBp=250).`,
  examples: [
    'store update --name "Juniper & Ink" --cashback-bp 250',
    'store update --checkout-coupon-field --social discord=https://discord.gg/example',
    'store update --set settings.maintenanceMessage=null',
  ],
  question: 'Update the store with these values?',
  hints: { flatten: 'settings' },
  prepare: askWhatChanges(updateStore, '--name "My store"'),
});
