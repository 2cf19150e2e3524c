import { printJson } from '../../../cli/command/print-json.ts';
import { CliError } from '../../../cli/core/errors.ts';
import { exitCodes } from '../../../cli/core/exit-codes.ts';
import { argumentValue } from '../../../cli/core/parsed-command.ts';
import { noticeDone } from '../../../cli/operation/result/print-result.ts';
import { argumentNeeded, confirmOption, confirmOrFail } from '../../../cli/prompts/confirm-or-fail.ts';
import { revokeKey } from '../../../service/index.ts';
import { chooseKey } from '../operator/ask.ts';
import { operatorCommand } from '../operator/operator-command.ts';

const confirmation = (id: string) => `Revoke key ${id} permanently?`;

export const command = operatorCommand({
  description:
    'Revoke a key. It stops working immediately and cannot be restored. To replace a key without downtime, use `service keys rotate`.',
  arguments: [{ name: 'keyId', description: 'ID of the key, from `service keys list`' }],
  options: [confirmOption('KEYID', 'id of the key')],
  examples: ['service keys revoke K3y1dForTest', 'service keys revoke K3y1dForTest --confirm K3y1dForTest'],
  async run(operator) {
    const { ui, parsed, storeId, open, next } = operator;
    const given = argumentValue(parsed, 'keyId');
    if (given === undefined && !ui.canAsk)
      throw argumentNeeded('keyId', `key to revoke, from \`${next('keys list')}\``);
    // A key given instead of its id must not be repeated in a question or an error.
    const list = next('keys list --store ID');
    if (given?.startsWith('sk_')) throw keyNotFound(list);
    const keyId = await chooseKey(operator, given, {
      what: 'key to revoke',
      question: 'Which key do you want to revoke?',
      confirmation,
    });
    if (given !== undefined) await confirmOrFail(ui, parsed, keyId, confirmation(keyId));
    const revoked = await open((storage) => revokeKey(storage, keyId, storeId));
    if (!revoked) throw keyNotFound(list);
    noticeDone(ui, `Revoked key ${keyId}`);
    if (ui.json) printJson(ui, { revoked: keyId });
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
