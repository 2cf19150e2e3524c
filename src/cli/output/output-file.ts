import { randomUUID } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { retryWhilePendingSync } from '../../base/files/pending.ts';
import { describeSystemError, errorCode } from '../../base/system-error.ts';
import { localStateError, usageError } from '../core/errors.ts';
import type { Io } from '../core/io.ts';
import { advancedGroup, type OptionSpec } from '../core/option-spec.ts';
import { optionValue, type ParsedCommand } from '../core/parsed-command.ts';

export const outputFileOption = {
  flag: '--output-file',
  value: 'FILE',
  description: 'Also write the response to a file as JSON (written atomically)',
  group: advancedGroup,
} as const satisfies OptionSpec;

/**
 * Returns what writes a text to `--output-file` atomically, if it is given, and throws exit 11 where that fails. Throws exit 2
 * if the file cannot be written, before anything is sent.
 */
export function openOutputFile(io: Pick<Io, 'cwd'>, parsed: ParsedCommand): (text: string) => void {
  const named = optionValue(parsed, outputFileOption.flag);
  return named === undefined ? () => {} : openFile(io, named);
}

/** As {@link openOutputFile}, for a file of that name. */
export function openFile({ cwd }: Pick<Io, 'cwd'>, named: string): (text: string) => void {
  const file = checkWritable(cwd, named);
  return (text) => {
    const draft = path.join(path.dirname(file), `.${path.basename(file)}.${randomUUID()}.tmp`);
    try {
      // A private file stays private.
      const mode = statSync(file, { throwIfNoEntry: false })?.mode;
      writeFileSync(draft, `${text}\n`, {
        flag: 'wx',
        mode: mode === undefined ? 0o644 : 0o600,
        flush: true,
      });
      if (mode !== undefined) chmodSync(draft, mode & 0o777);
      retryWhilePendingSync(process.platform, () => renameSync(draft, file));
    } catch (error) {
      rmSync(draft, { force: true });
      throw localStateError(
        'unwritable_file',
        `the response could not be written to ${file}: ${describeSystemError(error)}`,
        [{ say: 'the response is printed above' }, { run: ['history', 'list'], rest: 'to see the change' }],
      );
    }
  };
}

/** The file, behind symbolic links. Throws exit 2 also for a device or a pipe, which the final rename would replace. */
function checkWritable(cwd: string, named: string): string {
  const fail = (what: string, advice = 'choose a file in a writable directory') =>
    usageError(what, advice, { code: 'unwritable_file' });
  const { flag } = outputFileOption;
  if (named === '' || named === '-') {
    throw fail(
      `${flag} needs a file name (got "${named}")`,
      'the response is always printed; pass a file name or remove the flag',
    );
  }
  const given = path.resolve(cwd, named);
  let reason = 'not a regular file';
  try {
    const isNew = lstatSync(given, { throwIfNoEntry: false }) === undefined;
    const file = isNew ? given : realpathSync(given);
    accessSync(path.dirname(file), constants.W_OK);
    if (isNew || statSync(file).isFile()) return file;
  } catch (error) {
    const isMissing = errorCode(error) === 'ENOENT';
    reason = isMissing ? `directory ${path.dirname(given)} does not exist` : describeSystemError(error);
  }
  throw fail(`cannot write ${given} (${flag}): ${reason}`);
}
