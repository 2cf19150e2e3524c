import type { Session } from '../../../cli/command/session.ts';
import { usageError } from '../../../cli/core/errors.ts';
import { isSwitchedOn } from '../../../cli/core/io.ts';
import { isOn, optionValue, type ParsedCommand } from '../../../cli/core/parsed-command.ts';

/** The options of `service start`. A variable sets each of them as well, as containers and systemd do. The command line wins. */
const withVariable = [
  ...['host', 'port', 'database', 'pool-size', 'rate-limit', 'drain', 'trusted-proxy', 'log-level'],
  ...['metrics-port', 'metrics-host', 'retention', 'no-delivery', 'delivery-sink'],
];

/** `STORECTL_SERVICE_POOL_SIZE` for `--pool-size`, or an empty text. */
export function variableOf(flag: string): string {
  const name = flag.slice('--'.length);
  return withVariable.includes(name) ? `STORECTL_SERVICE_${name.toUpperCase().replaceAll('-', '_')}` : '';
}

/** The value of an option, with the name of the option or variable that has set it. */
export function readSetting(
  { io }: Session,
  parsed: ParsedCommand,
  flag: string,
): { readonly name: string; readonly value: string | undefined } {
  const given = optionValue(parsed, flag);
  const variable = variableOf(flag);
  if (given !== undefined || !io.env[variable]) return { name: flag, value: given };
  return { name: variable, value: io.env[variable] };
}

/** A whole number from an option or its variable. Throws a usage error. */
export function readWholeNumber(
  session: Session,
  parsed: ParsedCommand,
  flag: string,
  { min = 0, max, fallback }: { readonly min?: number; readonly max: number; readonly fallback: number },
): number {
  const { name, value } = readSetting(session, parsed, flag);
  if (value === undefined) return fallback;
  const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw usageError(
    `${name} must be a whole number from ${min} to ${max} (got "${value}")`,
    `for example ${name}${name.startsWith('--') ? ' ' : '='}${fallback}`,
  );
}

/** Whether a switch is on, by the command line or its variable: anything but `0`, `false`, `no` and nothing. */
export function readSwitch({ io }: Session, parsed: ParsedCommand, flag: string): boolean {
  return isOn(parsed, flag) || isSwitchedOn(io.env[variableOf(flag)]);
}

/** What `parse` makes of an option, undefined without the option. Throws a usage error where `parse` answers null. */
export function readWith<Value>(
  session: Session,
  parsed: ParsedCommand,
  flag: string,
  parse: (text: string) => Value | null,
  { must, example }: { readonly must: string; readonly example: string },
): Value | undefined {
  const { name, value: text } = readSetting(session, parsed, flag);
  const value = text === undefined ? undefined : parse(text);
  if (value !== null) return value;
  throw usageError(`${name} must ${must} (got "${text}")`, `for example ${flag} ${example}`);
}
