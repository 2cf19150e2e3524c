import { operationCommand } from '../../cli/operation/define-operation.ts';
import { askWhatChanges } from '../../cli/operation/questions/nothing-to-change.ts';
import { updateStore } from '../../contract/operations/store.ts';

export const command = operationCommand({
  operation: updateStore,
  description: `Change settings of the store. Only the fields that are given change; --set FIELD=null clears one,
and takes a social profile away (settings.socials.discord=null).
Fields of the settings are named without "settings." in flags and with it in --set.`,
  examples: [
    'store update --name "Juniper & Ink" --cashback-bp 250',
    'store update --checkout-coupon-field --social discord=https://discord.gg/example',
    'store update --set settings.maintenanceMessage=null',
  ],
  hints: { flatten: 'settings' },
  prepare: askWhatChanges(updateStore, '--name "My store"'),
});
