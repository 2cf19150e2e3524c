import { nearName } from '../../../base/nearest-name.ts';
import { invalidInput, usageError } from '../../../cli/core/errors.ts';
import { optionValues, type ParsedCommand } from '../../../cli/core/parsed-command.ts';
import { truncateText } from '../../../cli/output/wrap.ts';

export const columnFlag = '--column';

/** What identifies the dispute of a row, the best one first. */
export const keyColumns = ['disputeId', 'providerCaseId', 'orderId'] as const;
export type KeyColumn = (typeof keyColumns)[number];

export const decisionColumns = ['status', 'resolution'] as const;
export const columnNames = [...keyColumns, ...decisionColumns] as const;
export type ColumnName = (typeof columnNames)[number];

/** The place of each column that a file has, from 0. */
export type Columns = ReadonlyMap<ColumnName, number>;

/** `--column NAME=TITLE` or `NAME=#3`, as it was given. */
export interface NamedColumn {
  readonly name: ColumnName;
  readonly title: string;
}

/** The columns that the user names. Throws exit 2. */
export function namedColumns(parsed: ParsedCommand): NamedColumn[] {
  const named = optionValues(parsed, columnFlag).map((text): NamedColumn => {
    const [given = '', ...rest] = text.split('=');
    const title = rest.join('=').trim();
    const name = columnNames.find((one) => wordOf(one) === wordOf(given));
    if (name !== undefined && title !== '') return { name, title };
    if (name !== undefined || rest.length === 0) {
      throw invalidInput(`${columnFlag} must be NAME=TITLE (got "${text}")`, `for example ${example}`);
    }
    const near = nearName(columnNames, given);
    throw invalidInput(
      `${columnFlag} knows no column ${given}${near === null ? '' : ` (did you mean ${near}?)`}`,
      `use one of ${columnNames.join(', ')}`,
    );
  });
  const twice = named.find(({ name }, index) => named.findIndex((other) => other.name === name) < index);
  if (twice === undefined) return named;
  throw usageError(`${columnFlag} names ${twice.name} twice`, 'remove one of them');
}

const example = `${columnFlag} status="Dispute Status", or ${columnFlag} status=#3 for the third one`;

/** How many columns of decisions a row of titles has. */
export function countColumns(titles: readonly string[], named: readonly NamedColumn[]): number {
  const isNamed = named.filter(({ title }) => placesOf(titles, title).length > 0).length;
  return isNamed + columnNames.filter((name) => candidates(titles, name).length > 0).length;
}

/**
 * Finds the columns of decisions by their titles: those that the user names, then those that are called so (`Dispute ID`, or
 * `Dispute Status`). Other columns are ignored. Throws exit 2 if one is missing or could be either of two.
 */
export function findColumns(titles: readonly string[], named: readonly NamedColumn[], file: string): Columns {
  const columns = new Map<ColumnName, number>();
  for (const one of named) columns.set(one.name, placeOf(titles, one, file));
  const taken = new Set(columns.values());
  for (const name of columnNames) {
    if (columns.has(name)) continue;
    // A file with ids may have two columns about orders.
    const isNeeded = !keyColumns.some((key) => key === name) || !keyColumns.some((key) => columns.has(key));
    const found = candidates(titles, name).filter((place) => !taken.has(place));
    if (found.length > 1 && isNeeded) throw ambiguous(titles, name, found, file);
    const [place] = found;
    if (place !== undefined && found.length === 1) columns.set(name, place);
  }
  const missing = [
    ...(keyColumns.some((key) => columns.has(key)) ? [] : ['disputeId (or providerCaseId, or orderId)']),
    ...decisionColumns.filter((name) => !columns.has(name)),
  ];
  if (missing.length === 0) return columns;
  throw invalidInput(
    `${file} has no column ${missing.join(', no column ')} (found: ${truncateText(titles.join(', '), 60)})`,
    `name the columns in the first line, or say which they are: ${columnFlag} ${missing[0]?.split(' ')[0]}="TITLE"`,
  );
}

/** The place of the column that the user means. */
function placeOf(titles: readonly string[], { name, title }: NamedColumn, file: string): number {
  const places = placesOf(titles, title);
  const [place] = places;
  if (places.length > 1) throw ambiguous(titles, name, places, file);
  if (place !== undefined) return place;
  const isNumber = /^#\d+$/.test(title);
  throw invalidInput(
    isNumber
      ? `${file} has ${titles.length} columns, so there is no ${title} (${columnFlag} ${name})`
      : `${file} has no column "${title}" (${columnFlag} ${name})`,
    `its columns are: ${truncateText(titles.join(', '), 120)}`,
  );
}

function placesOf(titles: readonly string[], title: string): number[] {
  const number = /^#(\d+)$/.exec(title)?.[1];
  if (number !== undefined) return titles[Number(number) - 1] === undefined ? [] : [Number(number) - 1];
  const exact = indexesOf(titles, (one) => one === title);
  return exact.length > 0 ? exact : indexesOf(titles, (one) => wordOf(one) === wordOf(title));
}

/** Exports of payment providers have a status of the payment, and a `Dispute Status`. */
function candidates(titles: readonly string[], name: ColumnName): number[] {
  const words = [wordOf(name), ...(keyColumns.some((key) => key === name) ? [] : [`dispute${name}`])];
  return indexesOf(titles, (title) => words.includes(wordOf(title)));
}

function ambiguous(titles: readonly string[], name: ColumnName, places: readonly number[], file: string) {
  const shown = places.map((place) => `"${titles[place]}" (#${place + 1})`);
  const isSame = new Set(places.map((place) => titles[place])).size < places.length;
  const ways = places.map(
    (place) => `${columnFlag} ${name}=${isSame ? `#${place + 1}` : `"${titles[place]}"`}`,
  );
  return invalidInput(
    `${file}: ${new Intl.ListFormat('en').format(shown)} could both be the column ${name}`.replace(
      'both',
      places.length === 2 ? 'both' : 'all',
    ),
    `say which: ${ways.join(' or ')}`,
  );
}

function indexesOf(titles: readonly string[], fits: (title: string) => boolean): number[] {
  return titles.flatMap((title, index) => (fits(title) ? [index] : []));
}

/** A title as spreadsheets write it: `Dispute ID` is `disputeid`. */
function wordOf(title: string): string {
  return title.replaceAll(/[\s_.-]/g, '').toLowerCase();
}
