import {
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../base/error-code.ts';
import { type CliError, describeSystemError, localStateError, usageError } from '../core/errors.ts';
import type { Io } from '../core/io.ts';
import { advancedGroup, type OptionSpec } from '../core/option-spec.ts';
import { optionValue, type ParsedCommand } from '../core/parsed-command.ts';

export const outputFileOption = {
  flag: '--output-file',
  value: 'FILE',
  description: 'Also write the response to a file as JSON (written atomically)',
  group: advancedGroup,
} as const satisfies OptionSpec;

/** Runs `work` with a function that writes a text to `--output-file`, if it is given. */
export async function withOutputFile<Result>(
  { cwd }: Pick<Io, 'cwd'>,
  parsed: ParsedCommand,
  work: (write: (text: string) => void) => Promise<Result>,
): Promise<Result> {
  const file = optionValue(parsed, outputFileOption.flag);
  if (file === undefined) return work(() => {});
  const pending = beginFile(cwd, file);
  let isComplete = false;
  try {
    return await work((text) => {
      pending.complete(`${text}\n`);
      isComplete = true;
    });
  } finally {
    if (!isComplete) pending.discard();
  }
}

/** A file that is written atomically: it gets its name when it is complete. */
interface PendingFile {
  /** Writes the text, syncs it to disk and gives the file its name. Throws exit 11 where that fails. */
  complete(text: string): void;
  /** Removes the incomplete file. */
  discard(): void;
}

/** Opens a temporary file beside `named`. Throws exit 2 if that fails, before anything is sent. */
export function beginFile(cwd: string, named: string): PendingFile {
  if (named === '' || named === '-') {
    throw usageError(
      `${outputFileOption.flag} needs a file name (got "${named}")`,
      'the response is always printed; pass a file name or remove the flag',
      { code: 'unwritable_file' },
    );
  }
  const file = resolveRegularFile(path.resolve(cwd, named));
  const temporary = path.join(
    path.dirname(file),
    `.${path.basename(file)}.${Math.random().toString(36).slice(2)}.tmp`,
  );
  let descriptor: number;
  try {
    descriptor = openSync(temporary, 'wx', 0o644);
  } catch (error) {
    const folder = path.dirname(file);
    const isMissing = errorCode(error) === 'ENOENT';
    throw unwritable(file, isMissing ? `directory ${folder} does not exist` : describeSystemError(error));
  }
  let open = true;
  return {
    complete(text) {
      try {
        writeSync(descriptor, text);
        fsyncSync(descriptor);
        closeSync(descriptor);
        open = false;
        renameSync(temporary, file);
      } catch (error) {
        throw localStateError(
          'unwritable_file',
          `the response could not be written to ${file}: ${describeSystemError(error)}`,
          [{ say: 'the response is printed above' }, { run: ['history', 'list'], rest: 'to see the change' }],
        );
      }
    },
    discard() {
      if (open) closeSync(descriptor);
      rmSync(temporary, { force: true });
    },
  };
}

/** Follows symbolic links. Throws exit 2 for a device or a pipe, which the final rename would replace. */
function resolveRegularFile(named: string): string {
  try {
    if (lstatSync(named, { throwIfNoEntry: false }) === undefined) return named;
    const file = realpathSync(named);
    if (statSync(file).isFile()) return file;
  } catch (error) {
    throw unwritable(named, describeSystemError(error));
  }
  throw unwritable(named, 'not a regular file');
}

function unwritable(file: string, reason: string): CliError {
  return usageError(
    `cannot write ${file} (--output-file): ${reason}`,
    'choose a file in a writable directory',
    { code: 'unwritable_file' },
  );
}
