import { openSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describeSystemError, errorCode } from '../../../base/system-error.ts';
import type { Session } from '../../../cli/command/session.ts';
import { usageError } from '../../../cli/core/errors.ts';
import type { OptionSpec } from '../../../cli/core/option-spec.ts';
import { optionValue, type ParsedCommand } from '../../../cli/core/parsed-command.ts';

export const keyFileOption: OptionSpec = {
  flag: '--output-file',
  value: 'FILE',
  description: 'Write the keys to a new file that only you can read (mode 0600), instead of printing them',
};

export interface KeyFile {
  readonly name: string;
  /** Adds a line, which is on disk when it returns. */
  write(text: string): void;
}

/**
 * Creates the file of `--output-file`, or returns null without it. A shell would make it readable for everybody on the machine.
 * Throws exit 2 if it cannot be created, or exists: it may have keys that nobody else has.
 */
export function openKeyFile({ io }: Session, parsed: ParsedCommand): KeyFile | null {
  const given = optionValue(parsed, keyFileOption.flag);
  if (given === undefined) return null;
  const name = path.resolve(io.cwd, given);
  try {
    const file = openSync(name, 'ax', 0o600);
    return { name, write: (text) => writeFileSync(file, `${text}\n`, { flush: true }) };
  } catch (error) {
    const isThere = errorCode(error) === 'EEXIST';
    throw usageError(
      `cannot create ${name} (${keyFileOption.flag}): ${isThere ? 'it exists' : describeSystemError(error)}`,
      isThere ? 'choose another file: it may have keys that are nowhere else' : 'choose another file',
      { code: 'unwritable_file' },
    );
  }
}
