import {
  argumentRows,
  type CompletedFlag,
  type CompletionModel,
  groupByResult,
  valueRows,
} from './completion-model.ts';

/** The completion script for fish: tables from the model before the engine, which reads them. */
export function fishCompletion(model: CompletionModel, engine: string): string {
  return `# Completion of storectl for fish. Generated: run \`npm run generate\` instead of editing it.
# Load it with: storectl completion fish | source

# The commands below a path, each with its description after a tab.
function __storectl_commands
    switch "$argv[1]"
${lines(model.nodes.map(({ path, commands }) => [path, commands.map(({ name, summary }) => `${name}\t${summary}`)]))}
    end
end

# The flags of a path, each with its description after a tab.
function __storectl_flags
    switch "$argv[1]"
${lines(model.nodes.map(({ path, flags }) => [path, flags.flatMap(described)]))}
    end
    printf '%s\\n' ${model.flags.flatMap(described).map(quote).join(' \\\n        ')}
end

# How the value of a flag is completed: - for a switch, nothing for any text, @kind for what is looked up, words, and a
# comma before the words of a list.
function __storectl_value
    switch "$argv[1] $argv[2]"
${values(valueRows(model))}
    end
end

# The same for a positional argument by its number, from 0: - where there is none.
function __storectl_argument
    switch "$argv[1] $argv[2]"
${values(argumentRows(model))}
    end
end

${engine}`;
}

function described({ names, description }: CompletedFlag): string[] {
  return names.map((name) => `${name}\t${description}`);
}

/** In single quotes, a tab between the pieces of it. */
function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function lines(rows: readonly (readonly [path: string, items: readonly string[]])[]): string {
  return groupByResult(rows.map(([path, items]) => [path, items.map(quote).join(' \\\n                ')]))
    .filter(([items]) => items !== '')
    .map(([items, paths]) => {
      return `        case ${paths.map(quote).join(' ')}\n            printf '%s\\n' ${items}`;
    })
    .join('\n');
}

/** Keys without a star come first: fish takes the first that matches. */
function values(rows: readonly (readonly [key: string, value: string])[]): string {
  const exact = groupByResult(rows.filter(([key]) => !key.includes('*')));
  const patterns = groupByResult(rows.filter(([key]) => key.includes('*')));
  return [...exact, ...patterns, ['-', ['*']] as const]
    .map(([value, keys]) => `        case ${keys.map(quote).join(' ')}\n            echo -- ${quote(value)}`)
    .join('\n');
}
