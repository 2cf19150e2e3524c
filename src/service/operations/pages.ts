import * as z from 'zod';
import { maxPageSize, pageSize } from '../../contract/pages.ts';
import { invalidField } from '../model/errors.ts';

/** What a list is sorted by: its values are those of the last item of a page. */
interface Order<Values extends readonly unknown[]> {
  /** What a client sends as `after` for what comes after an item. */
  write(...values: Values): string;
  /** Null for the beginning. Throws `validation_failed` for what `write` has not made. */
  read(after: string | undefined): Values | null;
}

/** `name` differs for each order, so that what was made for one is refused by another. */
function order<Schemas extends readonly z.ZodType[]>(name: string, ...schemas: Schemas) {
  type Values = { readonly [Index in keyof Schemas]: z.output<Schemas[Index]> };
  return {
    write: (...values: Values) => Buffer.from(JSON.stringify([name, ...values])).toString('base64url'),
    read(after: string | undefined): Values | null {
      if (after === undefined) return null;
      const [by, ...values] = parse(after);
      const isValid = by === name && values.length === schemas.length;
      const read = schemas.map((schema, index) => schema.safeParse(values[index]));
      if (!isValid || read.some(({ success }) => !success)) {
        throw invalidField('/after', 'invalid_format', 'must be "next" of a page of the same list');
      }
      return read.map(({ data }) => data) as unknown as Values;
    },
  } satisfies Order<Values>;
}

function parse(after: string): unknown[] {
  try {
    const values: unknown = JSON.parse(Buffer.from(after, 'base64url').toString());
    return Array.isArray(values) ? values : [];
  } catch {
    return [];
  }
}

const word = z.string().regex(/^[!-~]{1,100}$/);
const count = z.int().min(0);

/** By id: ids of later objects are greater. */
export const byId = order('id', word);

/** By the position of a post. */
export const byPosition = order('position', count);

/** By the number of an event. */
export const bySequence = order('sequence', count);

/** By a deadline, and by id where it is the same. */
export const byDeadline = order('deadline', word, word);

/** The query of a list: what it leaves out, and which page. */
export function pageInput<Filters extends z.ZodRawShape>(filters: Filters) {
  return z.strictObject({
    ...filters,
    limit: z
      .string()
      .regex(/^[1-9]\d{0,2}$/, `must be a whole number from 1 to ${maxPageSize}`)
      .transform(Number)
      .refine((limit) => limit <= maxPageSize, {
        error: `must be at most ${maxPageSize}`,
        params: { code: 'too_big' },
      })
      .default(pageSize),
    after: z.string().max(1_000).optional(),
  });
}

/** Which page a client asks for. */
export interface PageInput {
  readonly limit: number;
  readonly after?: string | undefined;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** For `after`; missing if there is no other page. */
  readonly next?: string;
}

/** Makes a page of rows, of which the query has found one more than `limit` if there is another page. */
export function toPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (last: Row) => string,
  toItem: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const items = shown.map(toItem);
  return rows.length > limit && last !== undefined ? { items, next: cursorOf(last) } : { items };
}
