import { printJson } from '../../../cli/command/print-json.ts';
import { usageError } from '../../../cli/core/errors.ts';
import type { OptionSpec } from '../../../cli/core/option-spec.ts';
import { optionValue } from '../../../cli/core/parsed-command.ts';
import type { Printable } from '../../../cli/core/sanitize.ts';
import { readText } from '../../../cli/input/input-files.ts';
import type { Storage } from '../../../service/index.ts';
import type { WithStorageOptions } from './database-options.ts';
import type { Operator } from './operator-command.ts';

/** An option that takes many values from a file, one a line. */
export function linesOption(flag: string, what: string): OptionSpec {
  return { flag, value: 'FILE', description: `Create ${what} (- for standard input)` };
}

/**
 * Runs something for each line of the file of an option, in one process, and prints a line for each at once, so that it is
 * seen how far it came if one is refused.
 */
export async function eachLine<Result>(
  { ui, session, parsed, open }: Operator,
  flag: string,
  {
    options,
    run,
    show,
  }: {
    readonly options?: WithStorageOptions;
    run(storage: Storage, line: string): Promise<Result>;
    show(result: Result): Printable;
  },
): Promise<void> {
  const filled = (await readText(session, optionValue(parsed, flag) ?? '-', flag))
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean);
  if (filled.length === 0) throw usageError(`${flag} has no lines`, 'give one value a line');
  const results: Result[] = [];
  await open(async (storage) => {
    for (const line of filled) {
      const result = await run(storage, line);
      results.push(result);
      if (!ui.json) ui.print(show(result));
    }
  }, options);
  if (ui.json) printJson(ui, results);
}
