import type { CommandDefinition } from '../../../cli/command/command-definition.ts';
import { limitOption, printList, readLimit } from '../../../cli/command/lists.ts';
import { printJson } from '../../../cli/command/print-json.ts';
import type { Session } from '../../../cli/command/session.ts';
import type { Ui } from '../../../cli/command/ui.ts';
import type { ParsedCommand } from '../../../cli/core/parsed-command.ts';
import { printable } from '../../../cli/core/sanitize.ts';
import { noticeDone } from '../../../cli/operation/result/print-result.ts';
import { formatDistance } from '../../../cli/output/format-value.ts';
import { renderRecord, renderTable, rowsOf } from '../../../cli/output/tables.ts';
import type { Storage } from '../../../service/index.ts';
import {
  databaseOption,
  quoted,
  type StorageOptions,
  serviceCommand,
  withStorage,
} from './database-options.ts';

/** What a command of the operator gets: it works on the database, not over HTTP. */
export interface Operator {
  readonly ui: Ui;
  readonly session: Session;
  readonly parsed: ParsedCommand;
  /** Of `--store`. */
  readonly storeId: string | undefined;
  /** Opens the database, calls `work` and closes it again. */
  open<Result>(work: (storage: Storage) => Promise<Result>, options?: StorageOptions): Promise<Result>;
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
        open: (work, storageOptions) => withStorage(session, parsed, work, storageOptions),
        next: (words) => serviceCommand(session, parsed, words),
        printChanged: (done, result) => printChanged(ui, done, result),
      });
      return undefined;
    },
  };
}

function printChanged(ui: Ui, done: string, result: { readonly id: string }): void {
  const { out } = ui;
  noticeDone(ui, done);
  if (ui.quiet) ui.print(result.id);
  else if (ui.json) printJson(ui, result);
  else ui.print(renderRecord(rowsOf(result), out));
}

interface Page {
  readonly storeId: string | undefined;
  /** One more than is shown, to know whether there are others. */
  readonly limit: number;
}

type ListCommand<Item> = Omit<OperatorCommand, 'run'> & {
  /** Its words after `service`. */
  readonly words: string;
  /** Cells by the title of their column. */
  readonly columns: Readonly<Record<string, (item: Item, ago: (time: string) => string) => string>>;
  empty(operator: Operator): string;
  list(operator: Operator, page: Page): Promise<readonly Item[]>;
  /** How to see the items behind the last one that is shown. */
  more?(operator: Operator, last: Item, limit: number): string;
};

/** A command that lists something, `--limit` at a time. */
export function listCommand<Item extends { readonly id: string }>({
  columns,
  empty,
  list,
  words,
  more = ({ next, parsed }, _, limit) =>
    `\`${next([words, ...givenOptions(parsed), `--limit ${10 * limit}`].join(' '))}\` shows more`,
  options = [],
  ...definition
}: ListCommand<Item>): CommandDefinition {
  return operatorCommand({
    ...definition,
    options: [...options, limitOption],
    listedGlobals: ['--store'],
    async run(operator) {
      const { ui, parsed, storeId } = operator;
      const limit = readLimit(parsed);
      const found = await list(operator, { storeId, limit: limit + 1 });
      const items = found.slice(0, limit);
      const ago = (time: string) => formatDistance(Date.parse(time) - Date.now());
      const rows = () =>
        items.map((item) => Object.values(columns).map((cell) => printable(cell(item, ago))));
      printList(ui, items, {
        empty: empty(operator),
        show: () => ui.print(renderTable(Object.keys(columns), rows(), ui.out)),
      });
      const last = items.at(-1);
      if (found.length > limit && last !== undefined) {
        ui.notice(`There are more than ${limit}: ${more(operator, last, limit)}`);
      }
    },
  });
}

/** The options of a list that were given, as they are typed. */
function givenOptions({ options }: ParsedCommand): string[] {
  return [...options].flatMap(([flag, values]) =>
    typeof values === 'boolean' || [limitOption.flag, databaseOption.flag].includes(flag)
      ? []
      : values.map((value) => `${flag} ${quoted(value)}`),
  );
}
