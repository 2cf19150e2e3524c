import { exitCodes } from '../../cli/core/exit-codes.ts';
import type { CommandResult } from './run-command.ts';

const { bug, usage, inputNeeded, notAllowed, notFound, conflict, rejected } = exitCodes;
const { throttled, notApplied, localState, outputFailed, cancelled } = exitCodes;

/** What to do after a command that failed with this exit code. */
const steps: ReadonlyMap<number, string> = new Map([
  [bug, 'An internal error. Call history_list to see what was sent before you do anything else.'],
  [usage, 'Nothing was sent. Correct the input, then call again.'],
  [inputNeeded, 'Input is missing, nothing was sent. Ask the user for it, then call again.'],
  [notAllowed, 'Nothing was applied. The user has to store a valid key that may do this.'],
  [notFound, 'Not found, nothing was applied. Check the id.'],
  [conflict, 'Nothing was applied. Look at what is there now before you try again.'],
  [rejected, 'The service refused it, nothing was applied. Correct the input.'],
  [throttled, 'Rate limited, nothing was applied. Call again after the time in the error, or later.'],
  [notApplied, 'The service failed or was not reached, nothing was applied. Call again later.'],
  [localState, 'Settings or history on this machine cannot be used, nothing was sent. Tell the user.'],
  [outputFailed, 'It was applied. history_show has the response.'],
  [cancelled, 'Cancelled before anything was sent.'],
]);

/** What to do after a call, or undefined if nothing is left to do. */
export function nextStep(
  { exitCode, error }: CommandResult,
  outcome: string | undefined,
  tool: string,
  historyId: string | undefined,
): string | undefined {
  if (outcome === 'unknown') {
    return tool === 'resume'
      ? 'Still unknown: it may have been applied. Do not send it again. Tell the user: only they can check the store.'
      : `It may have been applied. Do not call ${tool} again. Call resume with the id ${historyId ?? 'from history_list'}.`;
  }
  if (error?.code === 'wrong_confirmation')
    return 'The confirmation does not match, so nothing was sent. Ask the user before you try again.';
  const isConnection = ({ field }: { field: string }) => field === 'baseUrl' || field === 'storeId';
  if (exitCode === inputNeeded && error?.fields?.some(isConnection))
    return 'Nothing was sent. The user has to log in to a store first.';
  if (exitCode !== exitCodes.done) return steps.get(exitCode);
  return outcome === 'not_sent' ? 'Nothing was sent, because nothing had to change.' : undefined;
}
