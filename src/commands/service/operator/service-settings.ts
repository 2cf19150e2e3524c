import type { Context } from '../../../cli/command/context.ts';
import { usageError } from '../../../cli/core/errors.ts';
import { optionValue, type ParsedCommand } from '../../../cli/core/parsed-command.ts';

/** Variables that set an option of `service` commands, as containers and systemd do. An option on the command line wins. */
const variables: Readonly<Record<string, string>> = {
  '--host': 'STORECTL_SERVICE_HOST',
  '--port': 'STORECTL_SERVICE_PORT',
  '--database': 'STORECTL_SERVICE_DATABASE',
  '--pool-size': 'STORECTL_SERVICE_POOL_SIZE',
  '--log-level': 'STORECTL_SERVICE_LOG_LEVEL',
  '--metrics-host': 'STORECTL_SERVICE_METRICS_HOST',
  '--metrics-port': 'STORECTL_SERVICE_METRICS_PORT',
};

/** The value of an option, with the name of the option or variable that has set it. */
export function readSetting(
  { io }: Pick<Context, 'io'>,
  parsed: ParsedCommand,
  flag: string,
): { readonly name: string; readonly value: string | undefined } {
  const given = optionValue(parsed, flag);
  const variable = variables[flag] ?? '';
  if (given !== undefined || !io.env[variable]) return { name: flag, value: given };
  return { name: variable, value: io.env[variable] };
}

/** A whole number from an option or its variable. Throws a usage error. */
export function readWholeNumber(
  context: Pick<Context, 'io'>,
  parsed: ParsedCommand,
  flag: string,
  { min = 0, max, fallback }: { readonly min?: number; readonly max: number; readonly fallback: number },
): number {
  const { name, value } = readSetting(context, parsed, flag);
  if (value === undefined) return fallback;
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw usageError(
    `${name} must be a whole number from ${min} to ${max} (got "${value}")`,
    `for example ${name}${name.startsWith('--') ? ' ' : '='}${fallback}`,
  );
}
