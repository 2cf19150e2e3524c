import type { OptionSpec } from '../core/option-spec.ts';

/** Heading of these options in the help. */
export const globalGroup = 'Global options:';
const group = globalGroup;

/** Options of every command. They may stand before or after its name. */
export const globalOptions: readonly OptionSpec[] = [
  { flag: '--profile', value: 'NAME', description: 'Stored profile to use', group, complete: 'profile' },
  { flag: '--store', value: 'ID', description: 'Store to work on', group },
  { flag: '--base-url', value: 'URL', description: 'Address of the service', group },
  {
    flag: '--demo',
    description: 'Use the example store, which needs no account (same as --profile demo)',
    group,
  },
  { flag: '--json', description: 'Print the answer as JSON', group },
  {
    ...{ flag: '--fields', value: 'A,B.C', description: 'Print only these fields (implies --json)', group },
    ...{ complete: 'field', list: true },
  },
  { flag: '--quiet', short: '-q', description: 'Print only the id that the command produced', group },
  { flag: '--dry-run', description: 'Print the request that would be sent, and send nothing', group },
  { flag: '--no-input', description: 'Never ask; what is missing is an error', group },
  { flag: '--no-pager', description: 'Print long output at once, not through a pager', group },
  {
    flag: '--timeout',
    value: 'SECONDS',
    description: 'Give up after this time (default 180), or when standard input is silent for so long',
    group,
  },
  { flag: '--debug', description: 'Show the HTTP exchange on stderr, without the key', group },
];
