import { isOn } from '../../core/parsed-command.ts';
import type { OperationCommand, Preview } from '../call/operation-command.ts';
import type { Run } from '../call/run.ts';
import { refuseEarlier, send } from './send-run.ts';

/** What a run would change: by the command's own `preview`, or the request as it is. */
export async function previewOf(command: OperationCommand, run: Run): Promise<Preview> {
  if (command.preview !== undefined) return command.preview(run);
  const flag = command.allowDuplicate;
  const options = { allowDuplicate: flag !== undefined && isOn(run.parsed, flag) };
  // What was sent before is refused before the question, not after it.
  if (command.confirm !== undefined) await refuseEarlier(run, options);
  return { send: () => send(run, options) };
}
