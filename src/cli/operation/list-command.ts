import type { KnownKind, KnownObject } from '../../history/objects/known-objects.ts';
import type { CommandDefinition } from '../command/command-definition.ts';
import { listKnown } from '../command/known.ts';
import { limitOption, noticeMore, printList, readLimit } from '../command/lists.ts';
import { shortenId } from '../command/short-id.ts';
import type { Ui } from '../command/ui.ts';
import { phrase, toRun } from '../config/phrase.ts';
import { line, type Printable } from '../core/sanitize.ts';
import { formatAge, formatDistance, formatValue } from '../output/format-value.ts';
import { toneOf, upperFirst } from '../output/labels.ts';
import { renderLines } from '../output/tables.ts';

/** A list of what this machine knows, which the service does not list. */
interface KnownList {
  readonly kind: KnownKind;
  /** In the plural: `backups`. */
  readonly what: string;
  /** Fields of the table and of --json. A column in which no row has a value is not shown. */
  readonly fields: readonly string[];
  /** More fields of --json. */
  readonly hidden?: readonly string[];
  /** Which of the times is shown as an age: when the service made it, or when this machine last saw it. */
  readonly age: 'createdAt' | 'seenAt';
  /** The command to run while the list is empty. */
  readonly start: string;
}

/** The command that lists objects of a kind, with the words of their noun. */
export function listCommand(list: KnownList): CommandDefinition {
  const { kind, what, fields, hidden = [], age, start } = list;
  const [noun] = start.split(' ');
  const names = ['id', ...fields, ...hidden, 'createdAt', 'seenAt'];
  return {
    description: `List the ${what} that this machine has seen, most recent first, as they were last seen.
The service cannot list them.`,
    tool: {
      description: `List the ${what} that this machine has made or seen, as they were last seen. The service cannot list them.`,
    },
    options: [limitOption],
    examples: [`${noun} list`, `${noun} list --fields ${['id', ...fields.slice(0, 2), ...hidden].join(',')}`],
    answerFields: () => names,
    async run({ ui, session, parsed }) {
      const limit = readLimit(parsed, ui);
      const now = new Date().toISOString();
      // The demo store was read right now.
      const all = await listKnown(session, kind);
      const known = all.map((object) => ({ ...object, seenAt: object.seenAt || now }));
      const shown = known.slice(0, limit);
      const items = shown.map((object) =>
        Object.fromEntries(names.map((name) => [name, fieldOf(object, name)])),
      );
      printList(ui, items, {
        fields: names,
        empty: phrase`No ${what} known on this machine. Start with ${toRun(...start.split(' '))}.`,
        show() {
          ui.notice(line`${upperFirst(what)} seen on this machine:`);
          const columns = fields.filter((name) => shown.some((object) => fieldOf(object, name) !== null));
          ui.print(describe(ui, { known, shown, columns, age }));
          if (shown.some(({ id }) => id === ''))
            ui.notice(
              line`${upperFirst(what)} without an id were marked as applied: their response was lost.`,
            );
          noticeMore(ui, known.length, limit);
        },
      });
    },
  };
}

/** Null for a field without a value. */
function fieldOf({ id, seenAt, fields }: KnownObject, name: string): unknown {
  const value = { ...fields, id, seenAt }[name];
  return value === '' ? null : (value ?? null);
}

interface Listed extends Pick<KnownList, 'age'> {
  readonly columns: readonly string[];
  readonly known: readonly KnownObject[];
  readonly shown: readonly KnownObject[];
}

/** The table. If its rows do not fit the terminal, ids and times are shortened, then the longest field is cut. */
function describe(ui: Ui, { known, shown, columns, age }: Listed): Printable {
  const { out } = ui;
  const now = Date.now();
  const header = ['id', ...columns.map(titleOf), age === 'seenAt' ? 'seen' : 'age'];
  const ids = known.map(({ id }) => id);
  const shorten = (name: string, value: string) => {
    if (name === 'id') return shortenId(value, ids);
    if (!name.endsWith('At')) return null;
    const text = formatDistance(Date.parse(value) - now);
    const tone = toneOf(name, value, now);
    return tone === undefined ? text : { drawn: out.color[tone](line`${text}`) };
  };
  const cellOf = (name: string, object: KnownObject, isWhole: boolean) => {
    const value = fieldOf(object, name);
    if (value === null) return '-';
    const short = isWhole || typeof value !== 'string' ? null : shorten(name, value);
    return short ?? formatValue(name, value, { now, currency: null }).replaceAll('\n', ' ');
  };
  const rowsWith = (isWhole: boolean) =>
    shown.map((object) => [
      ...['id', ...columns].map((name) => cellOf(name, object, isWhole)),
      formatAge(now - (Date.parse(String(fieldOf(object, age))) || Date.parse(object.seenAt))),
    ]);
  // Ids stay whole.
  const mayBeCut = columns.map((_, index) => index + 1);
  return renderLines(header, rowsWith, mayBeCut, out);
}

/** `deadlineAt` is the deadline, `providerCaseId` the case. */
function titleOf(field: string): string {
  const [word = field] = /[A-Z]?[a-z]+(?=(At|Id)$)/.exec(field) ?? [];
  return word.toLowerCase();
}
