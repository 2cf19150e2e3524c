import type * as z from 'zod/mini';
import { isAlwaysSent } from './fields.ts';
import { canonicalId, type Filter, type Operation } from './operation.ts';

type Item = Readonly<Record<string, unknown>>;

/**
 * The items of a list that fit the filters in a query. Ids fit in any letter case. Where the service leaves a field out while it has no
 * value, an item without the field does not fit; any other missing field may fit, because an item may be known in part only.
 */
export function fitting(
  operation: Pick<Operation, 'filters' | 'response'>,
  items: readonly Item[],
  query: Readonly<Record<string, string>> = {},
): readonly Item[] {
  const fields = itemFields(operation);
  const given = Object.entries(operation.filters ?? {}).flatMap(([name, filter]) => {
    const wanted = query[name];
    return wanted === undefined ? [] : [{ filter, wanted, field: fields[filter.field] }];
  });
  return items.filter((item) =>
    given.every(({ filter, wanted, field }) => {
      const value = item[filter.field];
      return value === undefined
        ? field === undefined || isAlwaysSent(field)
        : fits(filter, wanted, Array.isArray(value) ? value : [value]);
    }),
  );
}

function fits({ means }: Filter, wanted: string, values: readonly unknown[]): boolean {
  if (means === undefined) return values.some((value) => isSame(value, wanted));
  return !Object.hasOwn(means, wanted) || values.includes(means[wanted]);
}

function isSame(value: unknown, wanted: string): boolean {
  return value !== null && canonicalId(String(value)) === canonicalId(wanted);
}

/** The fields of an item of a list, by name. Empty if the operation lists nothing. */
export function itemFields({
  response,
}: Pick<Operation, 'response'>): Readonly<Record<string, z.core.$ZodType>> {
  const { items } = response.shape;
  const { shape = {} } = items === undefined ? {} : (unwrap(items)._zod.def as Definition);
  return Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, unwrapOptional(field)]));
}

interface Definition {
  readonly innerType?: z.core.$ZodType;
  readonly element?: z.core.$ZodType;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
}

/** Inside of optional, nullable and lists. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const { innerType, element } = schema._zod.def as Definition;
  const inner = innerType ?? element;
  return inner === undefined ? schema : unwrap(inner);
}

function unwrapOptional(schema: z.core.$ZodType): z.core.$ZodType {
  const { innerType } = schema._zod.def as Definition;
  return innerType === undefined ? schema : unwrapOptional(innerType);
}
