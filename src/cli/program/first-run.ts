import type { CommandCall } from '../command/command-definition.ts';
import type { GlobalFlags } from '../command/global-flags.ts';
import { demoProfile } from '../config/connection-settings.ts';
import { CliError, cancelledError } from '../core/errors.ts';
import { printable } from '../core/sanitize.ts';
import { upperFirst } from '../output/labels.ts';
import { askChoice } from '../prompts/prompts.ts';
import { askOne } from '../prompts/questions.ts';
import { leavesOf, tree } from './command-tree.ts';

/** Whether a command could not start because it has no store or no key. */
export function lacksStore(error: unknown): error is CliError {
  if (!(error instanceof CliError)) return false;
  const { code, fields = [] } = error.failure;
  return code === 'no_key' || fields.some(({ field }) => field === 'baseUrl' || field === 'storeId');
}

/**
 * Offers to log in or to use the demo store. Returns the flags to start the command again with, or throws `reason` if the
 * user wants neither.
 */
export async function offerStore(
  call: CommandCall,
  flags: GlobalFlags,
  reason: CliError,
): Promise<GlobalFlags> {
  const { io } = call.ui;
  const what =
    reason.failure.code === 'no_key'
      ? printable(upperFirst(reason.message))
      : 'No store is set up on this machine yet';
  const choices = [
    { value: 'login', name: 'Log in (needs the base URL, the store id and an API key)' },
    { value: demoProfile, name: 'Use the demo store' },
    { value: 'leave', name: 'Cancel' },
  ];
  const answer = await askOne(() => askChoice(io, `${what}. What do you want to do?`, choices));
  if (answer === 'leave') throw cancelledError();
  if (answer === demoProfile) return { ...flags, profile: demoProfile, store: undefined, baseUrl: undefined };
  const login = leavesOf(tree).find(([words]) => words === 'auth login')?.[1];
  if (login === undefined) throw reason;
  await (await login.load()).command.run({ ...call, parsed: { arguments: {}, options: new Map() } });
  return { ...flags, profile: (await call.session.settings()).profile };
}
