import { type ConnectionFlags, demoProfile } from '../config/connection-settings.ts';
import { notTogether, usageError } from '../core/errors.ts';
import { parsePath } from '../core/field-path.ts';
import { maxTimeoutSeconds } from '../core/option-spec.ts';
import { parseDuration } from '../core/parse-duration.ts';
import { isOn, optionValue, type ParsedCommand } from '../core/parsed-command.ts';

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

/** Throws a usage error if a value is invalid or two flags contradict each other. */
export function readGlobalFlags(parsed: ParsedCommand): GlobalFlags {
  const fields = optionValue(parsed, '--fields');
  const profile = optionValue(parsed, '--profile');
  const demo = isOn(parsed, '--demo') || profile === demoProfile;
  if (demo && profile !== undefined && profile !== demoProfile) throw notTogether('--demo', '--profile');
  if (demo && optionValue(parsed, '--base-url') !== undefined) throw notTogether('--demo', '--base-url');
  if (fields !== undefined && isOn(parsed, '--quiet')) throw notTogether('--fields', '--quiet');
  return {
    profile: demo ? demoProfile : profile,
    store: optionValue(parsed, '--store'),
    baseUrl: optionValue(parsed, '--base-url'),
    json: isOn(parsed, '--json') || fields !== undefined,
    fields: fields === undefined ? null : fields.split(',').map((field) => parsePath(field.trim())),
    quiet: isOn(parsed, '--quiet'),
    dryRun: isOn(parsed, '--dry-run'),
    noInput: isOn(parsed, '--no-input'),
    timeoutMs: parseTimeout(optionValue(parsed, '--timeout')),
    debug: isOn(parsed, '--debug'),
  };
}

function parseTimeout(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(text)
    ? Number(text)
    : (parseDuration(text, 'smh') ?? Number.NaN) / 1000;
  if (!(seconds > 0 && seconds <= maxTimeoutSeconds)) {
    throw usageError(
      `--timeout must be a number of seconds, or a time such as 5m, more than 0 and at most ${maxTimeoutSeconds} s (got "${text}")`,
      'for example --timeout 30 or --timeout 5m',
    );
  }
  return seconds * 1000;
}
