import type { OptionSpec, ParsedCommand } from './command.ts';
import { isOn, optionValue } from './command.ts';
import { usageError } from './errors.ts';
import { parsePath } from './paths.ts';
import { type ConnectionFlags, demoProfile } from './settings.ts';

/** Heading of these options in the help. */
export const globalGroup = 'Global options:';
const group = globalGroup;

/** Options of every command, before or after its name. */
export const globalOptions: readonly OptionSpec[] = [
  { flag: '--profile', value: 'NAME', description: 'Stored profile to use', group },
  { flag: '--store', value: 'ID', description: 'Store to work on', group },
  { flag: '--base-url', value: 'URL', description: 'Address of the service', group },
  {
    flag: '--demo',
    description: 'Use the example store, which needs no account (same as --profile demo)',
    group,
  },
  { flag: '--json', description: 'Print the answer as JSON', group },
  { flag: '--fields', value: 'A,B.C', description: 'Print only these fields (implies --json)', group },
  { flag: '--quiet', short: '-q', description: 'Print only the id that the command produced', group },
  { flag: '--dry-run', description: 'Print the request that would be sent, and send nothing', group },
  { flag: '--no-input', description: 'Never ask; what is missing is an error', group },
  { flag: '--timeout', value: 'SECONDS', description: 'Give up after this time (default 180)', group },
  { flag: '--debug', description: 'Show the HTTP exchange on stderr, without the key', group },
];

export interface GlobalFlags extends ConnectionFlags {
  readonly json: boolean;
  /** Paths to print, or null for everything. */
  readonly fields: readonly (readonly string[])[] | null;
  readonly quiet: boolean;
  readonly dryRun: boolean;
  readonly noInput: boolean;
  /** Milliseconds for the whole operation, or undefined for the default. */
  readonly timeoutMs: number | undefined;
  readonly debug: boolean;
}

/** Throws a usage error where a value makes no sense or two flags contradict each other. */
export function readGlobalFlags(parsed: ParsedCommand): GlobalFlags {
  const fields = optionValue(parsed, '--fields');
  const profile = optionValue(parsed, '--profile');
  const demo = isOn(parsed, '--demo') || profile === demoProfile;
  if (demo && profile !== undefined && profile !== demoProfile) {
    throw usageError('--demo and --profile exclude each other', 'leave one of them out');
  }
  if (demo && optionValue(parsed, '--base-url') !== undefined) {
    throw usageError(
      'the demo store has no address of its own, so --base-url cannot go with it',
      'leave --base-url or --demo out',
    );
  }
  return {
    profile: demo ? demoProfile : profile,
    store: optionValue(parsed, '--store'),
    baseUrl: optionValue(parsed, '--base-url'),
    json: isOn(parsed, '--json') || fields !== undefined,
    fields: fields === undefined ? null : parseFields(fields),
    quiet: isOn(parsed, '--quiet'),
    dryRun: isOn(parsed, '--dry-run'),
    noInput: isOn(parsed, '--no-input'),
    timeoutMs: parseTimeout(optionValue(parsed, '--timeout')),
    debug: isOn(parsed, '--debug'),
  };
}

function parseFields(text: string): string[][] {
  return text.split(',').map((field) => parsePath(field.trim()));
}

function parseTimeout(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!(seconds > 0 && seconds <= 86_400)) {
    throw usageError(
      `--timeout takes seconds, more than 0 and at most 86400, and "${text}" is not that`,
      'for example --timeout 30',
    );
  }
  return seconds * 1000;
}
