import { CliError } from '../../../cli/core/errors.ts';
import { exitCodes } from '../../../cli/core/exit-codes.ts';
import { argumentValue } from '../../../cli/core/parsed-command.ts';
import { argumentNeeded, confirmOption, confirmOrFail } from '../../../cli/prompts/ask-or-fail.ts';
import { revokeKey } from '../../../service/index.ts';
import { operatorCommand } from '../operator/operator-command.ts';

export const command = operatorCommand({
  description:
    'Revoke a key. It stops working immediately and cannot be restored. To replace a key without downtime, use `service keys rotate`.',
  arguments: [{ name: 'keyId', description: 'ID of the key, from `service keys list`' }],
  options: [confirmOption('KEYID', 'id of the key')],
  examples: ['service keys revoke K3y1dForTest', 'service keys revoke K3y1dForTest --confirm K3y1dForTest'],
  async run({ ui, parsed, storeId, open, next, printChanged }) {
    const list = next('keys list --store ID');
    const id = argumentValue(parsed, 'keyId');
    if (id === undefined) throw argumentNeeded('keyId', `key to revoke, from \`${list}\``);
    // A key given instead of its id must not be repeated in a question or an error.
    if (id.startsWith('sk_')) throw keyNotFound(list);
    await confirmOrFail(ui, parsed, id, `Revoke key ${id} permanently?`);
    if (!(await open((storage) => revokeKey(storage, id, storeId)))) throw keyNotFound(list);
    printChanged(`Revoked key ${id}`, { id });
  },
});

function keyNotFound(list: string): CliError {
  return new CliError({
    code: 'not_found',
    exitCode: exitCodes.notFound,
    what: 'key not found',
    next: [{ say: `run \`${list}\` to see the ids; the id is not the key itself` }],
  });
}
