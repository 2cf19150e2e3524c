import type { Operation } from '../../contract/operation.ts';
import type { CommandDefinition } from '../command/command-definition.ts';
import type { OptionSpec } from '../core/option-spec.ts';
import { isOn } from '../core/parsed-command.ts';
import type { FlagHints } from '../input/field-flags.ts';
import { describeOperation } from './call/operation-options.ts';
import type { ResultView } from './call/run.ts';
import { confirm } from './confirm.ts';
import { readInput } from './read-input.ts';
import { printDryRun, printResult } from './result/print-result.ts';
import { announce } from './send/announce.ts';
import { refuseEarlier, send } from './send/send.ts';
import { untilAccepted } from './until-accepted.ts';

/** A command with no steps but these: input, confirmation, request, result. Any other command is a function that calls the steps. */
export interface OperationCommand extends Pick<CommandDefinition, 'description' | 'examples'> {
  readonly operation: Operation;
  readonly hints?: FlagHints;
  /** Default values of fields. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  readonly options?: readonly OptionSpec[];
  /** What the user agrees to before the change is sent: `Create this backup?` */
  readonly question: string;
  /** Path parameter of an operation that cannot be taken back: the user types its value, or gives it with `--confirm`. */
  readonly confirm?: string;
  /** What a change did, in one line without the check mark: `Created backup "nightly"`. */
  readonly done: NonNullable<ResultView['done']>;
  /** The flag that sends a change although the same was sent before. */
  readonly allowDuplicate?: string;
}

/** The command of an operation that changes something. */
export function operationCommand(command: OperationCommand): CommandDefinition {
  const { description, examples, question, confirm: parameter, done, allowDuplicate } = command;
  return {
    ...describeOperation(command),
    description,
    examples,
    async run(call) {
      const run = await readInput(call, command);
      if (call.session.flags.dryRun) return printDryRun(run);
      await announce(run);
      const options = {
        allowDuplicate: allowDuplicate !== undefined && isOn(call.parsed, allowDuplicate),
        allowDuplicateFlag: allowDuplicate,
      };
      const result = await untilAccepted(run, async () => {
        const id = parameter && run.request.parameters[parameter];
        // A change that was sent before is refused before the user is asked.
        if (id !== undefined) await refuseEarlier(run, options);
        await confirm(run, { question, id });
        return send(run, options);
      });
      return printResult(run, { done }, result);
    },
  };
}
