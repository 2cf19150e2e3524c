import { defaultGroup, type OptionSpec } from '../core/option-spec.ts';

/** Heading of these options in the help. */
export const globalGroup = 'Global options:';

const specs: readonly OptionSpec[] = [
  { flag: '--profile', value: 'NAME', description: 'Stored profile to use', complete: 'profile' },
  { flag: '--store', value: 'ID', description: 'ID of the store' },
  { flag: '--base-url', value: 'URL', description: 'Base URL of the service' },
  { flag: '--demo', description: 'Use the demo store: no account needed (same as --profile demo)' },
  { flag: '--json', description: 'Print the response as JSON' },
  {
    flag: '--fields',
    value: 'A,B.C',
    description: 'Print only these fields (implies --json); alone, it lists them',
    complete: 'field',
    list: true,
  },
  { flag: '--quiet', short: '-q', description: 'Print only the resulting id' },
  { flag: '--dry-run', description: 'Show what would be sent or removed, and do nothing' },
  { flag: '--no-input', description: 'Never prompt: a missing value is an error' },
  {
    flag: '--timeout',
    value: 'SECONDS',
    description: 'Time limit for the command and standard input, also as 5m (default 180)',
  },
  { flag: '--debug', description: 'Print HTTP requests and responses on stderr, without the key' },
];

/** Options of every command. They may stand before or after its name. */
export const globalOptions: readonly OptionSpec[] = specs.map((spec) => ({ ...spec, group: globalGroup }));

/** Those without a value: what follows one is no value of it. */
export const globalSwitches = globalOptions
  .filter(({ value }) => value === undefined)
  .map(({ flag }) => flag);

/** What to type instead of `--json id,label`, as other tools take it, or null if that was not typed. */
export function hintForFields(words: readonly string[]): string | null {
  const value = words[words.indexOf('--json') + 1];
  if (!words.includes('--json') || value === undefined || !/^[a-z][\w.,]*$/i.test(value)) return null;
  return `for some fields, use \`--fields ${value}\``;
}

/** Those that a command lists in its own help, as its own options. */
export function listedOptions(flags: readonly string[] = []): OptionSpec[] {
  return globalOptions
    .filter(({ flag }) => flags.includes(flag))
    .map((option) => ({ ...option, group: defaultGroup }));
}
