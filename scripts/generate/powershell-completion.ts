import {
  argumentRows,
  type CompletedFlag,
  type CompletionModel,
  groupByResult,
  valueRows,
} from './completion-model.ts';

/** The completion script for PowerShell: tables from the model before the engine, which reads them. */
export function powershellCompletion(model: CompletionModel, engine: string): string {
  return `# Completion of storectl for PowerShell. Generated: run \`npm run generate\` instead of editing it.
# Load it in your $PROFILE with: storectl completion powershell | Out-String | Invoke-Expression

$global:StorectlTables = @{
    # By path: name and description in turn.
    Commands = @{
${tables(model.nodes.map(({ path, commands }) => [path, commands.flatMap(({ name, summary }) => [name, summary])]))}
    }
    # By path, and * for every path: flag and description in turn.
    Flags = @{
${tables([...model.nodes.map(({ path, flags }) => [path, flags.flatMap(described)] as const), ['*', model.flags.flatMap(described)]])}
    }
    # By path and flag, and by path and the number of an argument: how it is completed. Nothing for any text, @kind for
    # what is looked up, words, and a comma before the words of a list. Switches are not here.
    Completions = @{
${valueTable([...valueRows(model), ...argumentRows(model)])}
    }
}

${engine}`;
}

function described({ names, description }: CompletedFlag): string[] {
  return names.flatMap((name) => [name, description]);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function tables(rows: readonly (readonly [path: string, items: readonly string[]])[]): string {
  return rows
    .filter(([, items]) => items.length > 0)
    .map(([path, items]) => `        ${quote(path)} = @(\n            ${pairs(items)}\n        )`)
    .join('\n');
}

function pairs(items: readonly string[]): string {
  return items
    .flatMap((item, index) => (index % 2 === 0 ? [`${quote(item)}, ${quote(items[index + 1] ?? '')}`] : []))
    .join(',\n            ');
}

function valueTable(rows: readonly (readonly [key: string, value: string])[]): string {
  return groupByResult(rows)
    .flatMap(([value, keys]) => keys.map((key) => `        ${quote(key)} = ${quote(value)}`))
    .join('\n');
}
