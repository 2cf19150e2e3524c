import { printJson } from '../../cli/command/print-json.ts';
import { parseDuration } from '../../cli/core/parse-duration.ts';
import { isOn, optionValue } from '../../cli/core/parsed-command.ts';
import { line } from '../../cli/core/sanitize.ts';
import { printSuccess } from '../../cli/operation/result/print-result.ts';
import { confirmOption } from '../../cli/prompts/ask-or-fail.ts';
import { defaultRetentionDays, type Pruned, prune, pruneByHand } from '../../service/index.ts';
import { confirmByTyping } from './operator/confirm-by-typing.ts';
import { operatorCommand } from './operator/operator-command.ts';
import { readWith } from './operator/service-settings.ts';

export const command = operatorCommand({
  description: `Delete data past its retention period: delivered messages, read notifications, expired API keys and expired
idempotency keys, and what deleted stores have left. Unread notifications and dead deliveries are kept.`,
  details: `The service does the same once a day. It works in small steps and can run while the service is running.`,
  options: [
    {
      flag: '--older-than',
      value: 'AGE',
      description: `Delete data older than this, for example 90d or 12w (default ${defaultRetentionDays}d)`,
    },
    { flag: '--backups', description: 'Delete backups of this age too; needs a confirmation' },
    confirmOption('AGE', 'age'),
  ],
  examples: [
    'service prune --dry-run',
    'service prune --older-than 1w',
    'service prune --backups --older-than 52w --confirm 52w',
  ],
  dryRun: true,
  async run({ ui, session, parsed, open }) {
    const form = { must: 'be an age in days or weeks', example: '90d' };
    const ageMs = readWith(session, parsed, '--older-than', (age: string) => parseDuration(age, 'dw'), form);
    const retentionDays = ageMs === undefined ? defaultRetentionDays : ageMs / 86_400_000;
    const { dryRun, store: storeId } = session.flags;
    const { json, quiet } = ui;
    const options = { retentionDays, storeId, dryRun, backups: isOn(parsed, '--backups') };
    if (options.backups && !dryRun) {
      const { backups } = await open((storage) => prune(storage, { ...options, dryRun: true }));
      const count = counted(backups, nouns.backups);
      const age = optionValue(parsed, '--older-than') ?? `${defaultRetentionDays}d`;
      if (backups > 0) {
        ui.notice(
          line`${count} older than ${age} will be removed, with the posts that only they have. Nobody can restore them.`,
        );
      }
      await confirmByTyping(ui, parsed, age, 'Type the age to confirm');
    }
    const pruned = await open((storage) => pruneByHand(storage, { ...options, signal: session.io.signal }));
    const total = Object.values(pruned).reduce((sum, count) => sum + count, 0);
    if (total === 0) ui.notice('Nothing to remove.');
    else if (dryRun) ui.notice(line`Would remove ${describePruned(pruned)}. Nothing was removed.`);
    else printSuccess(ui, `Removed ${describePruned(pruned)}`);
    if (quiet) ui.print(line`${total}`);
    else if (json) printJson(ui, dryRun ? { wouldRemove: pruned } : { removed: pruned });
  },
});

const nouns: Readonly<Record<keyof Pruned, readonly [string, string]>> = {
  deliveries: ['delivery', 'deliveries'],
  notifications: ['notification', 'notifications'],
  keys: ['API key', 'API keys'],
  backups: ['backup', 'backups'],
  answers: ['idempotency key', 'idempotency keys'],
  deleted: ['row of a deleted store', 'rows of deleted stores'],
};

/** `2 deliveries, 1 key`. */
function describePruned(pruned: Pruned): string {
  const parts = Object.entries(nouns)
    .map(([kind, words]) => ({ count: pruned[kind as keyof Pruned], words }))
    .filter(({ count }) => count > 0)
    .map(({ count, words }) => counted(count, words));
  return parts.join(', ');
}

function counted(count: number, [one, many]: readonly [string, string]): string {
  return `${count} ${count === 1 ? one : many}`;
}
