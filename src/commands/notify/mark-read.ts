import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { terminalNeeded } from '../../cli/command/input-needed.ts';
import { listKnown } from '../../cli/command/known.ts';
import type { Session } from '../../cli/command/session.ts';
import type { Ui } from '../../cli/command/ui.ts';
import { cancelledError, usageError } from '../../cli/core/errors.ts';
import { isOn } from '../../cli/core/parsed-command.ts';
import type { GivenInput, OperationInput } from '../../cli/operation/call/operation-input.ts';
import { describeOperation, toolOf } from '../../cli/operation/call/operation-options.ts';
import type { Result, Run } from '../../cli/operation/call/run.ts';
import { findIds } from '../../cli/operation/find-ids.ts';
import { readInput } from '../../cli/operation/read-input.ts';
import { printDryRun, printResult } from '../../cli/operation/result/print-result.ts';
import { announce } from '../../cli/operation/send/announce.ts';
import { send } from '../../cli/operation/send/send.ts';
import { formatMinute } from '../../cli/output/format-value.ts';
import { markNotificationsRead } from '../../contract/operations/notifications.ts';

const input: OperationInput = {
  operation: markNotificationsRead,
  hints: { without: ['ids'] },
  arguments: [
    { name: 'notificationId', description: 'IDs of the notifications', variadic: true, optional: true },
  ],
  options: [
    {
      flag: '--all',
      description: 'Mark all notifications as read',
      input: { type: 'boolean' },
      group: 'Fields:',
    },
  ],
};

export const command: CommandDefinition = {
  ...describeOperation(input),
  tool: toolOf(input, 'Give ids, before, or all.'),
  description: `Mark notifications as read: by id, before a time, or all of them. \`notify inbox --unread\` lists
their ids, and messages to endpoints have them. The service ignores ids that it does not have.`,
  examples: [
    'notify mark-read 5f0c… 81ab…',
    'notify mark-read --all',
    'notify mark-read --before 2030-01-31T09:00:00Z',
  ],
  async run(call) {
    const run = await readInput(call, input, { prepare: readNotifications });
    if (call.session.flags.dryRun) return printDryRun(run);
    await announce(run);
    return printResult(run, { done: describeDone, show: () => [] }, await send(run));
  },
};

async function describeDone(_: Result, { request: { body }, session }: Run): Promise<string> {
  const { ids = [] } = body ?? {};
  const known = (await listKnown(session, 'notification')).map(({ id }) => id);
  const isDoubtful = Array.isArray(ids) && ids.some((id) => !known.includes(id));
  const done = `Marked ${describeMarked(body ?? {})} as read`;
  return isDoubtful ? `${done} (the service ignores unknown ids)` : done;
}

function describeMarked(body: Readonly<Record<string, unknown>>): string {
  const { ids, before } = body;
  if (Array.isArray(ids)) return ids.length === 1 ? `notification ${ids[0]}` : `${ids.length} notifications`;
  return before === undefined
    ? 'all notifications'
    : `all notifications before ${formatMinute(String(before))}`;
}

/** `--all` sends an empty object, so it excludes every other field. */
async function readNotifications(
  body: Record<string, unknown>,
  { ui, session, parsed }: GivenInput,
): Promise<void> {
  const ids = parsed.arguments.notificationId ?? [];
  const all = isOn(parsed, '--all');
  if (ids.some((id) => id.trim() === ''))
    throw usageError('a notification id is empty', 'remove it or pass an id');
  if (ids.length > 0) body.ids = await findIds(session, 'notification', ids);
  const chosen = Object.keys(body).length > 0;
  if (all && chosen) throw usageError('--all cannot be used with ids or other fields', 'remove one of them');
  if (all || chosen) return;
  if (!ui.canAsk) throw terminalNeeded('no notifications given', 'pass ids, --before TIME, or --all');
  const chosenIds = await chooseNotifications(ui, session);
  if (chosenIds !== null) body.ids = chosenIds;
}

const everything = { value: '#all', name: 'All notifications' };

/** Asks which of the unread notifications to mark; null for all that there are. Throws exit 130 for none. */
async function chooseNotifications(ui: Ui, session: Session): Promise<readonly string[] | null> {
  const { findChoices } = await import('../../cli/operation/questions/find-choices.ts');
  const target = await session.connect();
  const request = { operation: markNotificationsRead, parameters: {}, body: null };
  const { offered } = await findChoices({ session, target, request }, 'notification');
  if (offered.length === 0) {
    const { agrees } = await import('../../cli/prompts/ask-or-fail.ts');
    if (await agrees(ui, 'No unread notifications were found. Mark all notifications as read?')) return null;
    throw cancelledError();
  }
  const { idChoices } = await import('../../cli/operation/questions/ask-missing.ts');
  const { askSeveral } = await import('../../cli/prompts/prompts.ts');
  const { askOne } = await import('../../cli/prompts/questions.ts');
  const question = 'Which notifications do you want to mark as read?';
  const choices = [everything, ...idChoices(ui, 'notification', offered)];
  const chosen = await askOne(() => askSeveral(ui.io, question, choices));
  return chosen.includes(everything.value) ? null : chosen;
}
