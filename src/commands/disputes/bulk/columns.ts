import { nearName } from '../../../base/nearest-name.ts';
import { type CliError, invalidInput, usageError } from '../../../cli/core/errors.ts';
import { optionValues, type ParsedCommand } from '../../../cli/core/parsed-command.ts';
import { truncateText } from '../../../cli/output/wrap.ts';

export const columnFlag = '--column';

/** What identifies the dispute of a row, the best one first. */
export const keyColumns = ['disputeId', 'providerCaseId', 'orderId'] as const;
export type KeyColumn = (typeof keyColumns)[number];

export const decisionColumns = ['status', 'resolution'] as const;
const columnNames = [...keyColumns, ...decisionColumns] as const;
type ColumnName = (typeof columnNames)[number];

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
 * `Dispute Status`). Other columns are ignored. Throws one exit 2 for all that are missing or could be either of two.
 */
export function findColumns(
  titles: readonly string[],
  named: readonly NamedColumn[],
  { file, hasResolution }: { readonly file: string; readonly hasResolution: boolean },
): Columns {
  const columns = new Map<ColumnName, number>();
  const problems: Problem[] = [];
  for (const one of named) {
    const place = placeOf(titles, one);
    if (typeof place === 'number') columns.set(one.name, place);
    else problems.push(place);
  }
  const taken = new Set(columns.values());
  const isNamed = (name: ColumnName) => named.some((one) => one.name === name);
  const isKey = (name: ColumnName) => keyColumns.some((key) => key === name);
  for (const name of columnNames.filter((one) => !isNamed(one))) {
    const found = candidates(titles, name).filter((place) => !taken.has(place));
    const [place] = found;
    if (found.length === 1 && place !== undefined) columns.set(name, place);
    // A file with ids may have two columns about orders.
    else if (found.length > 1 && !(isKey(name) && hasKey(columns)))
      problems.push(ambiguous(titles, name, found));
    else if (found.length === 0 && !isKey(name) && !(hasResolution && name === 'resolution'))
      problems.push(missing(name));
  }
  if (!hasKey(columns) && !problems.some(({ name }) => isKey(name))) problems.unshift(missing('disputeId'));
  if (problems.length > 0) throw unclear(titles, problems, file);
  return columns;
}

function unclear(titles: readonly string[], problems: readonly Problem[], file: string): CliError {
  const [first] = problems;
  const isOne = problems.length === 1;
  const state = problems.every(({ advice }) => advice === null) ? 'missing' : 'missing or not clear';
  const absent = problems.filter(({ advice }) => advice === null);
  const flags = absent.map(({ name }) => `${columnFlag} ${name}="TITLE"`);
  const others = absent.some(({ name }) => name === 'disputeId')
    ? ' (`providerCaseId` for case numbers of the payment provider, `orderId` for order ids)'
    : '';
  const advice = [
    ...problems.flatMap((problem) => problem.advice ?? []),
    ...(absent.length === 0 ? [] : [`say which column it is: \`${flags.join(' ')}\`${others}`]),
    ...(absent.some(({ name }) => name === 'resolution') ? [forAll] : []),
    `the columns are ${truncateText(titles.join(', '), 500)}`,
  ];
  return usageError(
    isOne ? `${file}: ${first?.what}` : `${file}: ${problems.length} columns are ${state}`,
    advice.map((say) => ({ say })),
    { code: 'invalid_input', ...(!isOne && { lines: problems.map(({ what }) => what) }) },
  );
}

const forAll = 'or add `--resolution TEXT` for all rows';

const hasKey = (columns: Columns) => keyColumns.some((key) => columns.has(key));

/** Why a column is not found, and what to do. */
interface Problem {
  readonly name: ColumnName;
  readonly what: string;
  /** Null if the file has no such column: then it is said for all of them. */
  readonly advice: string | null;
}

function missing(name: ColumnName): Problem {
  const what = name === 'disputeId' ? 'no column disputeId, providerCaseId or orderId' : `no column ${name}`;
  return { name, what, advice: null };
}

/** The place of the column that the user means. */
function placeOf(titles: readonly string[], { name, title }: NamedColumn): number | Problem {
  const places = placesOf(titles, title);
  const [place] = places;
  if (places.length > 1) return ambiguous(titles, name, places);
  if (place !== undefined) return place;
  const what = /^#\d+$/.test(title)
    ? `there are ${titles.length} columns, so there is no ${title}`
    : `no column is called "${title}"`;
  return { name, what, advice: `correct ${columnFlag} ${name}` };
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

function ambiguous(titles: readonly string[], name: ColumnName, places: readonly number[]): Problem {
  const shown = places.map((place) => `"${titles[place]}" (#${place + 1})`);
  const isSame = new Set(places.map((place) => titles[place])).size < places.length;
  const ways = places.map(
    (place) => `${columnFlag} ${name}=${isSame ? `#${place + 1}` : `"${titles[place]}"`}`,
  );
  return {
    name,
    what: `${new Intl.ListFormat('en', { type: 'disjunction' }).format(shown)} could be the column ${name}`,
    advice: `add ${ways.join(' or ')}`,
  };
}

function indexesOf(titles: readonly string[], fits: (title: string) => boolean): number[] {
  return titles.flatMap((title, index) => (fits(title) ? [index] : []));
}

/** A title as spreadsheets write it: `Dispute ID` is `disputeid`. */
function wordOf(title: string): string {
  return title.replaceAll(/[\s_.-]/g, '').toLowerCase();
}
