import type { Ui } from '../../command/ui.ts';
import { CliError } from '../../core/errors.ts';
import { exitCodes } from '../../core/exit-codes.ts';
import { advancedGroup, type OptionSpec } from '../../core/option-spec.ts';
import { line } from '../../core/sanitize.ts';

export const seenOption: OptionSpec = {
  flag: '--seen',
  description: 'What this machine has seen, without asking the service',
  input: { type: 'boolean', default: false },
  group: advancedGroup,
};

type Verb = 'list' | 'show';

/**
 * Exit 7: the service does not have this read. A script must not take the objects that this machine has seen for those that the store
 * has. `what` is in the plural.
 */
export function cannotBeAsked(verb: Verb, what: string): CliError {
  return new CliError({
    code: `cannot_${verb}`,
    exitCode: exitCodes.rejected,
    what: `this service cannot ${verb} ${what}`,
    next: [{ say: `add --seen to ${verb} what this machine has seen` }],
    outcome: 'not_sent',
  });
}

/** The line above objects that this machine has seen. `what` is in the plural. */
export function noticeMemory({ notice, err }: Ui, verb: Verb, what: string): void {
  const others = verb === 'list' ? '; there may be others, and a restore may have removed some' : '';
  const seen = verb === 'list' ? 'these' : 'this';
  const text = line`This service cannot ${verb} ${what}. This machine has seen ${seen}${others}.`;
  notice(err.color.yellow(text));
}

/** Exit 5: this machine has not seen the object. `what` is in the plural. */
export function notSeen(what: string): CliError {
  return new CliError({
    code: 'not_seen',
    exitCode: exitCodes.notFound,
    what: `this service cannot show ${what}, and this machine has not seen this one`,
    next: [{ say: 'check the id' }],
    outcome: 'not_sent',
  });
}
