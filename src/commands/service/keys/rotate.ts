import { parseDuration } from '../../../cli/core/parse-duration.ts';
import { line } from '../../../cli/core/sanitize.ts';
import { formatMinute } from '../../../cli/output/format-value.ts';
import { rotateKey } from '../../../service/index.ts';
import { operatorCommand } from '../operator/operator-command.ts';
import { readWith } from '../operator/service-settings.ts';
import { keyFileOption, openKeyFile } from './key-file.ts';
import { printKey } from './print-key.ts';

export const command = operatorCommand({
  description: `Create a key with the same scopes as another. The old key stays valid for the overlap, so that you can hand
out the new one. The new key is printed on stdout once: the database keeps only its hash.`,
  arguments: [{ name: 'keyId', description: 'ID of the old key, from `service keys list`' }],
  options: [
    {
      flag: '--overlap',
      value: 'TIME',
      description:
        'How long the old key stays valid, for example 30m, 24h (default) or 7d; 0h revokes it immediately',
    },
    keyFileOption,
  ],
  examples: [
    'service keys rotate K3y1dForTest --output-file key.txt',
    'service keys rotate K3y1dForTest --overlap 7d',
  ],
  async run({ ui, session, parsed, storeId, need, open, next }) {
    const parse = (time: string) => parseDuration(time, 'mhdw');
    const overlapMs = readWith(session, parsed, '--overlap', parse, { must: 'be a time', example: '24h' });
    const list = next('keys list --store ID');
    const { keyId } = await need(['keyId']);
    const options = { overlapSeconds: overlapMs === undefined ? 86_400 : overlapMs / 1000, storeId };
    const hint = `run \`${list}\` to see the keys`;
    const file = openKeyFile(session, parsed);
    const rotated = await open((storage) => rotateKey(storage, keyId, options), { hint });
    printKey(ui, file, rotated, rotated.storeId);
    if (!ui.json)
      ui.notice(line`The old key ${keyId} is valid until ${formatMinute(rotated.previous.expiresAt)}.`);
  },
});
