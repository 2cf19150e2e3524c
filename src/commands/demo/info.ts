import { isObject } from '../../base/json.ts';
import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { printJson } from '../../cli/command/print-json.ts';
import { demoProfile } from '../../cli/config/connection-settings.ts';
import { formatValue } from '../../cli/output/format-value.ts';
import { labelOf } from '../../cli/output/labels.ts';
import { renderTable } from '../../cli/output/tables.ts';

/** Columns of the tables; --json prints all fields. */
const columns = ['id', 'subdomain', 'status', 'reason', 'title', 'read', 'name', 'label', 'sections', 'url'];

export const command: CommandDefinition = {
  description: 'List the contents of the demo store, with ids to try commands with.',
  examples: ['demo info', 'demo info --json'],
  async run({ ui, session }) {
    const { example } = await session.demo();
    if (ui.json) {
      printJson(ui, example);
      return undefined;
    }
    const { width } = ui.out;
    const indented = { ...ui.out, width: width === null ? null : width - 2 };
    const parts = Object.entries(example).flatMap(([name, value]) => {
      const title = ui.out.color.bold(name === 'reclaims' ? 'Reclaim notices' : labelOf([name]));
      if (isObject(value)) return [];
      if (!Array.isArray(value)) return `${title}  ${formatValue(name, value)}`;
      const items: unknown[] = value;
      const objects = items.filter(isObject);
      const shown = columns.filter((column) => Object.hasOwn(objects[0] ?? {}, column));
      if (shown.length === 0) return `${title}\n  none`;
      const cells = objects.map((item) => shown.map((column) => formatValue(column, item[column])));
      return `${title}\n${renderTable(shown, cells, indented).replace(/^(?=.)/gm, '  ')}`;
    });
    ui.print(parts.join('\n\n'));
    const open = example.disputes.find(({ status }) => status === 'open') ?? example.disputes[0];
    ui.notice(`\nTry: storectl --${demoProfile} disputes show ${open?.id ?? 'ID'}`);
  },
};
