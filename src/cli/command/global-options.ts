import { defaultGroup, type OptionSpec } from '../core/option-spec.ts';

/** Heading of these options in the help. */
export const globalGroup = 'Global options:';
const group = globalGroup;

/** Options of every command. They may stand before or after its name. */
export const globalOptions: readonly OptionSpec[] = [
  { flag: '--profile', value: 'NAME', description: 'Stored profile to use', group, complete: 'profile' },
  { flag: '--store', value: 'ID', description: 'ID of the store', group },
  { flag: '--base-url', value: 'URL', description: 'Base URL of the service', group },
  { flag: '--demo', description: 'Use the demo store: no account needed (same as --profile demo)', group },
  { flag: '--json', description: 'Print the response as JSON', group },
  {
    flag: '--fields',
    value: 'A,B.C',
    description: 'Print only these fields (implies --json)',
    group,
    complete: 'field',
    list: true,
  },
  { flag: '--quiet', short: '-q', description: 'Print only the resulting id', group },
  { flag: '--dry-run', description: 'Show what would be sent or removed, and do nothing', group },
  { flag: '--no-input', description: 'Never prompt: a missing value is an error', group },
  {
    flag: '--timeout',
    value: 'SECONDS',
    description: 'Maximum time for the command, and for waiting for standard input (default 180)',
    group,
  },
  { flag: '--debug', description: 'Print HTTP requests and responses on stderr, without the key', group },
];

/** Those without a value: what follows one is no value of it. */
export const globalSwitches = globalOptions
  .filter(({ value }) => value === undefined)
  .map(({ flag }) => flag);

/** Those that a command lists in its own help, as its own options. */
export function listedOptions(flags: readonly string[] = []): OptionSpec[] {
  return globalOptions
    .filter(({ flag }) => flags.includes(flag))
    .map((option) => ({ ...option, group: defaultGroup }));
}
