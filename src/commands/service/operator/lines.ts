import { printJson } from '../../../cli/command/print-json.ts';
import { CliError, usageError } from '../../../cli/core/errors.ts';
import { exitCodes } from '../../../cli/core/exit-codes.ts';
import type { OptionSpec } from '../../../cli/core/option-spec.ts';
import { optionValue } from '../../../cli/core/parsed-command.ts';
import type { Printable } from '../../../cli/core/sanitize.ts';
import { readInputText } from '../../../cli/input/input-files.ts';
import type { Storage } from '../../../service/index.ts';
import type { WithStorageOptions } from './database-options.ts';
import type { Operator } from './operator-command.ts';
import { readWholeNumber } from './service-settings.ts';

/** An option that takes many values from a file, one a line. */
export function linesOption(flag: string, what: string): OptionSpec {
  return { flag, value: 'FILE', description: `Create ${what} (- for standard input)` };
}

export const afterOption: OptionSpec = {
  flag: '--after',
  value: 'LINE',
  description: 'Begin after this line of the file, to go on where an earlier run stopped',
};

/**
 * Runs something for each line of the file of an option, in one process, and prints a line for each at once, so that it is
 * seen how far it came. The error of one that is refused says its line, and how to go on. Lines are counted from 1, empty ones too.
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
  const after = readWholeNumber(session, parsed, afterOption.flag, { max: 999_999_999, fallback: 0 });
  const filled = (await readInputText(session, optionValue(parsed, flag) ?? '-', flag))
    .split(/\r?\n/)
    .map((text, index) => ({ text: text.trim(), number: index + 1 }))
    .filter(({ text, number }) => text !== '' && number > after);
  if (filled.length === 0) {
    throw after === 0
      ? usageError(`${flag} has no lines`, 'give one value a line')
      : usageError(`${flag} has no lines after line ${after}`, `check ${afterOption.flag}`);
  }
  const results: Result[] = [];
  let stoppedAt = 0;
  await open(async (storage) => {
    for (const { text, number } of filled) {
      stoppedAt = number;
      const result = await run(storage, text);
      results.push(result);
      if (!ui.json) ui.print(show(result));
    }
  }, options).catch((error: unknown) => {
    // What was made is not lost with the rest.
    if (ui.json && results.length > 0) printJson(ui, results);
    if (!(error instanceof CliError) || stoppedAt === 0) throw error;
    throw stoppedAtLine(error, stoppedAt, results.length);
  });
  if (ui.json) printJson(ui, results);
}

/** The lines before it are done, as many as `doneBefore`: what was printed for them is printed this once. */
function stoppedAtLine({ failure }: CliError, number: number, doneBefore: number): CliError {
  const { what, fields = [] } = failure;
  const said = what ?? fields.map(({ field, flag, detail }) => `${flag ?? field} ${detail}`).join('; ');
  const rest =
    doneBefore === 0 ? '' : ` with ${afterOption.flag} ${number - 1}, and keep the output of this run`;
  const again = `run the command again${rest}`;
  // It is not the line that the database failed at.
  const isAboutLine = failure.exitCode !== exitCodes.localState;
  return new CliError({
    ...failure,
    fields: [],
    what: `line ${number}: ${said}`,
    next: isAboutLine ? [{ say: `fix the line, then ${again}` }] : [...(failure.next ?? []), { say: again }],
  });
}
