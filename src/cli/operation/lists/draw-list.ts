import type { Session } from '../../command/session.ts';
import { shortenId } from '../../command/short-id.ts';
import type { Ui } from '../../command/ui.ts';
import { line, type Printable } from '../../core/sanitize.ts';
import { formatAge, formatDistance, formatValue } from '../../output/format-value.ts';
import { toneOf } from '../../output/labels.ts';
import { renderLines } from '../../output/tables.ts';

type Item = Readonly<Record<string, unknown>>;

/** How a list is drawn. */
export interface ListView {
  /** Fields of the table besides the id. A column whose rows are all empty, or all yes, is not shown. */
  readonly columns: readonly string[];
  /** Adds what this machine knows of the items, for people: a column may show it. */
  annotate?(session: Session, items: readonly Item[]): Promise<readonly Item[]>;
}

/** The rows of a list, and the field whose time is shown as an age: when the object was made, or when this machine saw it. */
interface Rows {
  readonly items: readonly Item[];
  /** Other known ids: a short id must not be the beginning of one of them. */
  readonly known: readonly string[];
  readonly age: 'createdAt' | 'seenAt';
}

/** The table. If its rows do not fit the terminal, ids and times are shortened, then the longest field is cut. */
export function drawList({ out }: Ui, { columns }: ListView, { items, known, age }: Rows): Printable {
  const now = Date.now();
  const shown = columns.filter((name) => {
    const values = new Set(items.map((item) => item[name]));
    return values.size === 1 && typeof items[0]?.[name] === 'boolean' ? false : [...values].some(hasValue);
  });
  const names = ['id', ...shown];
  const header = ['id', ...shown.map(titleOf), age === 'seenAt' ? 'seen' : 'age'];
  const shorten = (name: string, value: string) => {
    if (name === 'id') return shortenId(value, known);
    if (!name.endsWith('At')) return null;
    const text = formatDistance(Date.parse(value) - now);
    const tone = toneOf(name, value, now);
    return tone === undefined ? text : { drawn: out.color[tone](line`${text}`) };
  };
  const cellOf = (name: string, item: Item, isWhole: boolean) => {
    const value = item[name];
    if (!hasValue(value)) return '-';
    const short = isWhole || typeof value !== 'string' ? null : shorten(name, value);
    return short ?? formatValue(name, value, { now, currency: null }).replaceAll('\n', ' ');
  };
  const ageOf = (item: Item) => {
    const time = Date.parse(String(item[age]));
    return Number.isNaN(time) ? '-' : formatAge(now - time);
  };
  const rowsWith = (isWhole: boolean) =>
    items.map((item) => [...names.map((name) => cellOf(name, item, isWhole)), ageOf(item)]);
  // Ids stay whole.
  const mayBeCut = shown.map((_, index) => index + 1);
  return renderLines(header, rowsWith, mayBeCut, out);
}

function hasValue(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

/** `deadlineAt` is the deadline, `providerCaseId` the case. */
function titleOf(field: string): string {
  if (field === 'buyerEmail') return 'buyer';
  const [word = field] = /[A-Z]?[a-z]+(?=(At|Id)$)/.exec(field) ?? [];
  return word.toLowerCase();
}
