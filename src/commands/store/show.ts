import { asObject } from '../../base/json.ts';
import { showCommand } from '../../cli/operation/lists/show-command.ts';
import { showStore, updateStore } from '../../contract/operations/store.ts';
import { lastSeen } from '../../history/changes/replaced-values.ts';
import { rememberSeen } from '../../history/objects/seen-objects.ts';

export const command = showCommand({
  operation: showStore,
  description: 'Show the store and its settings, such as currency, branding and cashback.',
  examples: ['store show', 'store show --fields name,settings.cashbackBp', 'store show --json'],
  what: 'the store',
  async remember(session, response) {
    const { id, name } = asObject(response);
    if (typeof id !== 'string') return;
    const { folder } = (await session.history()).journal;
    rememberSeen(folder, [{ kind: 'store', id, seenAt: new Date().toISOString(), fields: { name } }]);
  },
  async recall({ session }) {
    const seen = lastSeen(
      updateStore.id,
      (await session.history()).snapshot().usable({ concerning: [updateStore.id] }),
    );
    return seen && { ...seen.document, seenAt: seen.seenAt };
  },
});
