import { isObject } from '../../base/json.ts';
import type { CommandDefinition } from '../../cli/command/command-definition.ts';
import { printJson } from '../../cli/command/print-json.ts';
import { demoProfile } from '../../cli/config/connection-settings.ts';
import { joined, line } from '../../cli/core/sanitize.ts';
import { formatValue } from '../../cli/output/format-value.ts';
import { labelOf } from '../../cli/output/labels.ts';
import { indented, renderTable } from '../../cli/output/tables.ts';

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
    const inside = { ...ui.out, width: width === null ? null : width - 2 };
    const parts = Object.entries(example).flatMap(([name, value]) => {
      const title = ui.out.color.bold(line`${name === 'reclaims' ? 'Reclaim notices' : labelOf([name])}`);
      if (isObject(value)) return [];
      if (!Array.isArray(value)) return joined([title, line` ${formatValue(name, value)}`], ' ');
      const items: unknown[] = value;
      const objects = items.filter(isObject);
      const shown = columns.filter((column) => Object.hasOwn(objects[0] ?? {}, column));
      if (shown.length === 0) return joined([title, line`  none`], '\n');
      const cells = objects.map((item) => shown.map((column) => formatValue(column, item[column])));
      return joined([title, indented(renderTable(shown, cells, inside))], '\n');
    });
    ui.print(joined(parts, '\n\n'));
    const open = example.disputes.find(({ status }) => status === 'open') ?? example.disputes[0];
    ui.notice(line`\nTry: storectl --${demoProfile} disputes show ${open?.id ?? 'ID'}`);
  },
};
