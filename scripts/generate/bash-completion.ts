import {
  argumentRows,
  type CompletionModel,
  flagNames,
  groupByResult,
  valueRows,
} from './completion-model.ts';

/** The completion script for bash: tables from the model before the engine, which reads them. */
export function bashCompletion(model: CompletionModel, engine: string): string {
  return `# Completion of storectl for bash. Generated: run \`npm run generate\` instead of editing it.
# Load it with: source <(storectl completion bash)

# Each of these answers in _storectl_reply.

# The commands below PATH.
_storectl_commands() {
  case $1 in
${cases(model.nodes.map(({ path, commands }) => [path, commands.map(({ name }) => name).join(' ')]))}
  esac
}

# The flags of PATH.
_storectl_flags() {
  case $1 in
${cases(model.nodes.map(({ path, flags }) => [path, flagNames(flags).join(' ')]))}
  esac
  _storectl_reply="$_storectl_reply ${flagNames(model.flags).join(' ')}"
}

# How the value of PATH FLAG is completed: - for a switch, nothing for any text, @kind for what is looked up, words,
# and a comma before the words of a list.
_storectl_value() {
  case "$1 $2" in
${cases(valueRows(model), '-')}
  esac
}

# The same for the positional argument PATH NUMBER, from 0: - where there is none.
_storectl_argument() {
  case "$1 $2" in
${cases(argumentRows(model), '-')}
  esac
}

${engine}`;
}

/**
 * Rows of a table, the key with its value, as the branches of a case for bash and zsh. A star in a key is a pattern, and
 * counts where no exact key does.
 */
export function cases(rows: readonly (readonly [key: string, value: string])[], otherwise = ''): string {
  const isPattern = ([key]: readonly [string, string]) => key.includes('*');
  const branches = [rows.filter((row) => !isPattern(row)), rows.filter(isPattern)].flatMap((part) =>
    groupByResult(part).map(
      ([value, keys]) => `    ${keys.map(quotePattern).join(' | ')}) _storectl_reply='${value}' ;;`,
    ),
  );
  return [...branches, `    *) _storectl_reply='${otherwise}' ;;`].join('\n');
}

function quotePattern(key: string): string {
  return key.replace(/[^*]+/g, (text) => `'${text}'`) || "''";
}
