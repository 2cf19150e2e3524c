import type { CommandDefinition } from '../../../cli/command/command-definition.ts';
import { globalOptions } from '../../../cli/command/global-options.ts';
import type { MissingInput } from '../../../cli/command/input-needed.ts';
import { printJson } from '../../../cli/command/print-json.ts';
import type { Session } from '../../../cli/command/session.ts';
import type { Ui } from '../../../cli/command/ui.ts';
import type { ArgumentSpec, OptionSpec } from '../../../cli/core/option-spec.ts';
import { argumentValue, optionValue, type ParsedCommand } from '../../../cli/core/parsed-command.ts';
import { line } from '../../../cli/core/sanitize.ts';
import { printSuccess } from '../../../cli/operation/result/print-result.ts';
import { renderRecord, rowsOf } from '../../../cli/output/tables.ts';
import { askNeeded, type Needed } from '../../../cli/prompts/ask-or-fail.ts';
import type { Storage } from '../../../service/index.ts';
import { databaseOption, serviceCommand, type WithStorageOptions, withStorage } from './database-options.ts';
import { asked } from './needed-values.ts';

/** What a command of the operator gets: it works on the database, not over HTTP. */
export interface Operator {
  readonly ui: Ui;
  readonly session: Session;
  readonly parsed: ParsedCommand;
  /** Of `--store`. */
  readonly storeId: string | undefined;
  /**
   * The values of these options and arguments, by their names. A terminal is asked for those that are missing; elsewhere it is
   * exit 3, which names all of them, and what the command needs `also`.
   */
  need<Name extends string>(
    names: readonly Name[],
    also?: readonly MissingInput[],
  ): Promise<Readonly<Record<Name, string>>>;
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
      const storage = <Result>(
        work: (storage: Storage) => Promise<Result>,
        storageOptions?: WithStorageOptions,
      ) => withStorage(session, parsed, work, storageOptions);
      const next = (words: string) => serviceCommand(session, parsed, words);
      const specs = { options: [...globalOptions, ...options], arguments: definition.arguments ?? [] };
      const need: Operator['need'] = (names, also = []) =>
        readNeeded({ ui, parsed, specs, open: storage, next }, names, also);
      await run({
        ui,
        session,
        parsed,
        storeId: session.flags.store,
        need,
        open: storage,
        next,
        printChanged: (done, result) => printChanged(ui, done, result),
      });
      return undefined;
    },
  };
}

async function readNeeded<Name extends string>(
  {
    ui,
    parsed,
    specs,
    open,
    next,
  }: Pick<Operator, 'ui' | 'parsed' | 'open' | 'next'> & {
    readonly specs: { readonly options: readonly OptionSpec[]; readonly arguments: readonly ArgumentSpec[] };
  },
  names: readonly Name[],
  also: readonly MissingInput[],
): Promise<Readonly<Record<Name, string>>> {
  const values = new Map<string, string>();
  const needed: Needed[] = [];
  for (const name of names) {
    const given = name.startsWith('--') ? optionValue(parsed, name) : argumentValue(parsed, name);
    if (given !== undefined) values.set(name, given);
    else needed.push(neededValue(name, specs));
  }
  function neededValue(name: string, { options, arguments: all }: typeof specs): Needed {
    const spec = options.find(({ flag }) => flag === name);
    const description = spec?.description ?? all.find((one) => one.name === name)?.description ?? name;
    const { question = description, label = question, list } = asked[name] ?? {};
    // What Tab completes from a list has no other values.
    const words = typeof spec?.complete === 'string' ? undefined : spec?.complete;
    return {
      field: name.replace(/^--/, ''),
      give: spec === undefined ? `<${name}>` : `${name} ${spec.value}`,
      // A command to find the value names the same database.
      description: description.replace(/`service ([^`]+)`/, (_, words) => `\`${next(words)}\``),
      question,
      label,
      ...(words !== undefined && {
        isClosed: true,
        choices: async () => words.map((value) => ({ value, name: value })),
      }),
      ...(list !== undefined && {
        choices: () =>
          open((storage) => list(storage, values.get('--store') ?? optionValue(parsed, '--store'))),
      }),
    };
  }
  const keep = (field: string, answer: string) => {
    values.set(names.find((name) => name.replace(/^--/, '') === field) ?? field, answer);
  };
  await askNeeded(ui, needed, keep, { first: 'flags', also });
  return Object.fromEntries(values) as Record<Name, string>;
}

function printChanged(ui: Ui, done: string, result: { readonly id: string }): void {
  const { out } = ui;
  printSuccess(ui, done);
  if (ui.quiet) ui.print(line`${result.id}`);
  else if (ui.json) printJson(ui, result);
  else ui.print(renderRecord(rowsOf(result), out));
}
