import { line } from '../../../cli/core/sanitize.ts';
import { revokeKey, ServiceError } from '../../../service/index.ts';
import { endCommand } from '../operator/end-command.ts';

export const command = endCommand({
  words: 'keys revoke',
  description:
    'Revoke a key. It stops working immediately and cannot be restored. To replace a key without downtime, use `service keys rotate`.',
  noun: 'key',
  done: 'Revoked key',
  loss: line`A revoked key cannot be restored.`,
  async run(storage, id, storeId) {
    if (await revokeKey(storage, id, storeId)) return { id };
    throw new ServiceError('not_found', 'Key not found');
  },
});
