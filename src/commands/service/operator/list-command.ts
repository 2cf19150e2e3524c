import type { CommandDefinition } from '../../../cli/command/command-definition.ts';
import { givenLimit, limitOption, printList, rowsInTerminal } from '../../../cli/command/lists.ts';
import type { ParsedCommand } from '../../../cli/core/parsed-command.ts';
import { line } from '../../../cli/core/sanitize.ts';
import { formatDistance, formatValue } from '../../../cli/output/format-value.ts';
import { labelOf } from '../../../cli/output/labels.ts';
import { renderTable } from '../../../cli/output/tables.ts';
import type { Storage } from '../../../service/index.ts';
import { operatorCommand } from './operator-command.ts';

interface Page {
  /** Of `--store`. */
  readonly storeId: string | undefined;
  /** One more than is shown, to know whether there are others. */
  readonly limit: number;
}

interface ListCommand<Item> extends Pick<CommandDefinition, 'description' | 'options'> {
  /** Its words after `service`. */
  readonly words: string;
  /** Default: the list of a store, as text and as JSON. */
  readonly examples?: readonly string[];
  /** The fields that a table shows. */
  readonly columns: readonly (keyof Item & string)[];
  /** How they are shown, where that is not as usual. */
  readonly cells?: Readonly<Record<string, (item: Item) => string>>;
  /** What it lists, in the plural. Default: the first of its words. */
  readonly noun?: string;
  /** The words after `service` of the command that makes the first item. */
  readonly start?: string;
  /** Whether it lists one store only. Default: without `--store`, it lists all stores. */
  readonly needsStore?: boolean;
  list(storage: Storage, page: Page, parsed: ParsedCommand): Promise<readonly Item[]>;
  /** The option that shows the items behind the last one that is shown. Default: ten times as many. */
  more?(last: Item): string;
}

/** A value in a table: a time as `3 minutes ago`. */
function cellOf(name: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  return name.endsWith('At')
    ? formatDistance(Date.parse(String(value)) - Date.now())
    : formatValue(name, value);
}

/** A command that lists something, `--limit` at a time. */
export function operatorListCommand<Item extends { readonly id: string }>({
  words,
  description,
  options = [],
  examples = [`service ${words} --store 4be5…`, `service ${words} --store 4be5… --json`],
  columns,
  cells = {},
  start,
  noun = words.split(' ')[0] ?? '',
  needsStore = false,
  list,
  more,
}: ListCommand<Item>): CommandDefinition {
  return operatorCommand({
    description,
    // The database may have millions.
    options: [...options, { ...limitOption, description: 'Maximum number of rows (default 50)' }],
    listedGlobals: ['--store'],
    examples,
    async run({ ui, parsed, storeId: given, need, open, next }) {
      const limit = givenLimit(parsed) ?? rowsInTerminal;
      const storeId = needsStore ? (await need(['--store']))['--store'] : given;
      const found = await open((storage) => list(storage, { storeId, limit: limit + 1 }, parsed));
      const items = found.slice(0, limit);
      const rows = () =>
        items.map((item) => columns.map((name) => cells[name]?.(item) ?? cellOf(name, item[name])));
      const titles = columns.map((name) => labelOf([name]));
      printList(ui, items, {
        empty:
          start === undefined ? line`No ${noun}.` : line`No ${noun}. Run \`${next(start)}\` to create one.`,
        show: () => ui.print(renderTable(titles, rows(), ui.out)),
      });
      const last = items.at(-1);
      if (found.length === items.length || last === undefined) return;
      ui.notice(
        line`There are more than ${limit}: add ${more?.(last) ?? `--limit ${10 * limit}`} to see more.`,
      );
    },
  });
}
