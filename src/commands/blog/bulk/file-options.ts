import type { OptionSpec } from '../../../cli/core/option-spec.ts';
import type { ParsedCommand } from '../../../cli/core/parsed-command.ts';

export const skipInvalid = '--skip-invalid';
export const slugPrefix = '--slug-prefix';
export const timezone = '--timezone';
export const sendOption = '--send';
export const leaveOut = '--leave-out';

const group = 'Input:';

/** Options that say how files become posts. */
export const fileOptions: readonly OptionSpec[] = [
  { flag: skipInvalid, description: 'Create the other posts if some files are invalid (exit code 2)', group },
  {
    flag: slugPrefix,
    value: 'TEXT',
    description: 'Put this before each slug, for example de- for a language',
    group,
  },
  {
    flag: timezone,
    value: 'ZONE',
    description: 'Time zone of dates in the files that name none (default UTC)',
    group,
  },
  {
    flag: sendOption,
    value: 'FIELD',
    description: 'Send this field of the front matter as it is (repeatable)',
    group,
  },
  {
    flag: leaveOut,
    value: 'FIELD',
    description: 'Do not send this field, for example publishedAt (repeatable)',
    group,
  },
];

/** The first of these options that is given, or undefined. */
export function givenFileOption({ options }: ParsedCommand): string | undefined {
  return fileOptions.find(({ flag }) => options.has(flag))?.flag;
}
