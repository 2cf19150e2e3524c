import type { KnownKind, KnownObject } from '../../history/known-objects.ts';
import { refuseUnknownFields } from '../command/answer-fields.ts';
import type { CommandDefinition } from '../command/command-definition.ts';
import type { Context } from '../command/context.ts';
import { listKnown } from '../command/known.ts';
import { limitOption, noticeMore, printList, readLimit } from '../command/lists.ts';
import { shortenId } from '../command/short-id.ts';
import { optionValue } from '../core/parsed-command.ts';
import { printable } from '../core/sanitize.ts';
import { formatAge, formatValue } from '../output/format-value.ts';
import { upperFirst } from '../output/labels.ts';
import { cutColumn, renderTable, rowsFit } from '../output/tables.ts';
import { displayWidth } from '../output/wrap.ts';

/** A list of what this machine knows, which the service does not list. */
interface KnownList {
  readonly kind: KnownKind;
  /** In the plural: `backups`. */
  readonly what: string;
  /** Fields of the table and of --json. */
  readonly fields: readonly string[];
  /** Which of the times is shown as an age: when the service made it, or when this machine last saw it. */
  readonly age: 'createdAt' | 'seenAt';
  /** Statuses that Tab offers for `--status`, which the list has only with them. */
  readonly statuses?: readonly string[];
  /** The command to run while the list is empty. */
  readonly start: string;
}

/** The command that lists objects of a kind, with the words of their noun. */
export function listCommand({ kind, what, fields, age, statuses, start }: KnownList): CommandDefinition {
  const [noun] = start.split(' ');
  const names = ['id', ...fields, 'createdAt', 'seenAt'];
  const header = ['id', ...fields.map(titleOf), age === 'seenAt' ? 'seen' : 'age'];
  const statusOptions = statuses
    ? [
        {
          flag: '--status',
          value: 'STATUS',
          description: `Show only this status: ${statuses.join(', ')}`,
          complete: statuses,
        },
      ]
    : [];
  return {
    description: `List the ${what} that this machine has seen, most recent first, as they were last seen.
The service cannot list them.`,
    options: [...statusOptions, limitOption],
    examples: [
      `${noun} list`,
      ...(statuses ? [`${noun} list --status ${statuses[0]}`] : []),
      `${noun} list --limit 5 --json`,
    ],
    answerFields: () => names,
    async run(context, parsed) {
      const limit = readLimit(parsed);
      if (context.flags.fields !== null) refuseUnknownFields(context.flags.fields, names);
      const now = new Date(context.now()).toISOString();
      // The demo store was read right now.
      const status = optionValue(parsed, '--status');
      const known = (await listKnown(context, kind))
        .filter(({ fields }) => status === undefined || fields.status === status)
        .map((object) => ({ ...object, seenAt: object.seenAt || now }));
      const shown = known.slice(0, limit);
      const items = shown.map((object) => ({
        id: object.id,
        ...Object.fromEntries(names.map((name) => [name, fieldOf(object, name)])),
      }));
      printList(context, items, {
        empty:
          status === undefined
            ? `No ${what} seen on this machine yet. Start with \`storectl ${start}\`.`
            : `No ${what} with status ${printable(status)} seen on this machine.`,
        show() {
          context.notice(`${upperFirst(what)} seen on this machine:`);
          context.print(describe(context, { known, shown, fields, header, age }));
          noticeMore(context, known.length, limit);
        },
      });
    },
  };
}

function fieldOf({ id, seenAt, fields }: KnownObject, name: string): unknown {
  if (name === 'id') return id;
  return name === 'seenAt' ? seenAt : (fields[name] ?? null);
}

interface Listed extends Pick<KnownList, 'fields' | 'age'> {
  readonly known: readonly KnownObject[];
  readonly shown: readonly KnownObject[];
  readonly header: readonly string[];
}

/** The table. If its rows do not fit the terminal, ids are shortened, then the longest field is cut. */
function describe(context: Context, { known, shown, fields, header, age }: Listed): string {
  const now = context.now();
  const ids = known.map(({ id }) => id);
  const rowsWith = (idOf: (id: string) => string) =>
    shown.map((object) => [
      printable(idOf(object.id)),
      ...fields.map((name) => {
        const value = fieldOf(object, name);
        return value === null || value === ''
          ? '-'
          : formatValue(name, value, { now, currency: null }).replaceAll('\n', ' ');
      }),
      formatAge(now - (Date.parse(String(fieldOf(object, age))) || now)),
    ]);
  const whole = rowsWith((id) => id);
  const rows = rowsFit(header, whole, context.out) ? whole : rowsWith((id) => shortenId(id, ids));
  const widths = fields.map((_, index) => Math.max(...rows.map((row) => displayWidth(row[index + 1] ?? ''))));
  const longest = 1 + widths.indexOf(Math.max(...widths));
  return renderTable(header, cutColumn(header, rows, longest, context.out), context.out);
}

/** `deadlineAt` is the deadline. */
function titleOf(field: string): string {
  return field.replace(/At$/, '');
}
