import type { Context } from './context.ts';
import { isObject } from './objects.ts';
import { renderRecord, renderTable, renderText, rowsOf } from './output.ts';
import { getPath } from './paths.ts';
import { printable } from './sanitize.ts';
import { formatValue } from './values.ts';

/** The record, then its evidence as a table, then the texts that are too long for one. */
export function describeDispute(answer: unknown, { out, now }: Pick<Context, 'out' | 'now'>): string {
  const values = { now: now(), currency: null };
  const record = renderRecord(rowsOf(getPath(answer, ['record']), values), out);
  const evidence = getPath(answer, ['evidence']);
  const items = Array.isArray(evidence) ? evidence.filter(isObject) : [];
  if (items.length === 0) return `${record}\n\nNo evidence.`;
  const cell = (item: Record<string, unknown>, name: string) => {
    const value = item[name];
    return value === null || value === undefined ? '' : formatValue(name, value, values);
  };
  const table = renderTable(
    ['#', 'kind', 'label', 'submitted by', 'created', 'file'],
    items.map((item, index) => [
      String(index + 1),
      ...['kind', 'label', 'submittedBy', 'createdAt', 'storageKey'].map((name) => cell(item, name)),
    ]),
    out,
  );
  const texts = items.flatMap((item, index) => {
    const text = item.textValue;
    if (typeof text !== 'string' || text === '') return [];
    const label = typeof item.label === 'string' ? `: ${printable(item.label)}` : '';
    return [renderText(`Evidence ${index + 1}${label}`, text, out)];
  });
  return [record, table, ...texts].join('\n\n');
}
