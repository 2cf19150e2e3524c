import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { printJson } from '../../cli/command/print-json.ts';
import { CliError } from '../../cli/core/errors.ts';
import { exitCodes } from '../../cli/core/exit-codes.ts';
import { argumentValue } from '../../cli/core/parsed-command.ts';
import { revokeKey } from '../../service/index.ts';
import { chooseKey } from './ask.ts';
import { databaseOption, withStorage } from './database-options.ts';

export const command: CommandDefinition = {
  description:
    'Revoke a key: it stops working at once and for good. To replace a key without a gap, use `service rotate-key`.',
  arguments: [{ name: 'keyId', description: 'Id of the key, from `service keys`' }],
  options: [databaseOption],
  examples: ['service revoke-key K3y1dForTest'],
  async run(context, parsed) {
    const keyId = await chooseKey(context, parsed, argumentValue(parsed, 'keyId'), {
      what: 'key to revoke',
      question: 'Which key do you want to revoke?',
      confirmation: (id) => `Revoke key ${id} at once and for good?`,
    });
    const revoked = await withStorage(context, parsed, (storage) =>
      revokeKey(storage, keyId, context.flags.store),
    );
    if (!revoked) {
      throw new CliError({
        code: 'not_found',
        exitCode: exitCodes.notFound,
        message: 'no valid key has this id',
        hint: '`storectl service keys --store ID` lists the ids; the id is not the key itself',
      });
    }
    if (context.flags.json) printJson(context, { revoked: keyId });
    else context.notice(`Revoked key ${keyId}.`);
    return undefined;
  },
};
