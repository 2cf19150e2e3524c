import { operationCommand, type Run } from '../../cli/operation-command.ts';
import { isObject, renderRecord, renderTable, renderText, rowsOf } from '../../cli/output.ts';
import { getPath } from '../../cli/paths.ts';
import { valueContext } from '../../cli/result.ts';
import { printable } from '../../cli/sanitize.ts';
import { formatValue } from '../../cli/values.ts';
import { showDispute } from '../../contract/disputes.ts';

export const command = operationCommand({
  operation: showDispute,
  description: 'Show a dispute with its evidence, oldest first.',
  examples: [
    'disputes show 5f0c…',
    'disputes show 5f0c… --json',
    'disputes show 5f0c… --fields record.status,evidence.label',
  ],
  show: describeDispute,
  id: (answer) => getPath(answer, ['record', 'id']),
});

/** The record, then its evidence as a table, then the texts that are too long for one. */
export function describeDispute(answer: unknown, run: Run): string {
  const { out } = run.context;
  const values = valueContext(run, answer);
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
