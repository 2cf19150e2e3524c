import type { CommandDefinition } from '../../../cli/command/command-definition.ts';
import { globalOptions } from '../../../cli/command/global-options.ts';
import { inputNeeded } from '../../../cli/command/input-needed.ts';
import { printJson } from '../../../cli/command/print-json.ts';
import type { Session } from '../../../cli/command/session.ts';
import type { Ui } from '../../../cli/command/ui.ts';
import type { OptionSpec } from '../../../cli/core/option-spec.ts';
import { optionValue, type ParsedCommand } from '../../../cli/core/parsed-command.ts';
import { line } from '../../../cli/core/sanitize.ts';
import { printSuccess } from '../../../cli/operation/result/print-result.ts';
import { renderRecord, rowsOf } from '../../../cli/output/tables.ts';
import type { Storage } from '../../../service/index.ts';
import { databaseOption, serviceCommand, type WithStorageOptions, withStorage } from './database-options.ts';

/** What a command of the operator gets: it works on the database, not over HTTP. */
export interface Operator {
  readonly ui: Ui;
  readonly session: Session;
  readonly parsed: ParsedCommand;
  /** Of `--store`. */
  readonly storeId: string | undefined;
  /** The values of these options. Throws exit 3, which names all that are missing: an operator is not asked. */
  need<Flag extends string>(...flags: readonly Flag[]): Readonly<Record<Flag, string>>;
  /** Opens the database, calls `work` and closes it again. */
  open<Result>(work: (storage: Storage) => Promise<Result>, options?: WithStorageOptions): Promise<Result>;
  /** `storectl service …` to type next, with the `--database` in use. */
  next(words: string): string;
  /** Says what was done and prints the result: with `--json` as JSON, with `--quiet` only its id. */
  printChanged(done: string, result: { readonly id: string }): void;
}

type OperatorCommand = Omit<CommandDefinition, 'run'> & { run(operator: Operator): Promise<void> };

/** A command of `storectl service` that changes or reads the database. */
export function operatorCommand({ run, options = [], ...definition }: OperatorCommand): CommandDefinition {
  return {
    ...definition,
    options: [...options, databaseOption],
    async run({ ui, session, parsed }) {
      await run({
        ui,
        session,
        parsed,
        storeId: session.flags.store,
        need: (...flags) => readNeeded(parsed, [...globalOptions, ...options], flags),
        open: (work, storageOptions) => withStorage(session, parsed, work, storageOptions),
        next: (words) => serviceCommand(session, parsed, words),
        printChanged: (done, result) => printChanged(ui, done, result),
      });
      return undefined;
    },
  };
}

function readNeeded<Flag extends string>(
  parsed: ParsedCommand,
  options: readonly OptionSpec[],
  flags: readonly Flag[],
): Readonly<Record<Flag, string>> {
  const needed = options.filter(({ flag }) => flags.some((name) => name === flag));
  const missing = needed.filter(({ flag }) => optionValue(parsed, flag) === undefined);
  const inputs = missing.map(({ flag, value, description }) => ({
    field: flag.slice('--'.length),
    give: `${flag} ${value}`,
    description,
  }));
  if (inputs.length > 0) throw inputNeeded(inputs, undefined, 'flags');
  return Object.fromEntries(flags.map((flag) => [flag, optionValue(parsed, flag)])) as Record<Flag, string>;
}

function printChanged(ui: Ui, done: string, result: { readonly id: string }): void {
  const { out } = ui;
  printSuccess(ui, done);
  if (ui.quiet) ui.print(line`${result.id}`);
  else if (ui.json) printJson(ui, result);
  else ui.print(renderRecord(rowsOf(result), out));
}
