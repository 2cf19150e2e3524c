import { cases } from './bash-completion.ts';
import {
  argumentRows,
  type CompletedFlag,
  type CompletionModel,
  groupByResult,
  valueRows,
} from './completion-model.ts';

/** The completion script for zsh: tables from the model before the engine, which reads them. */
export function zshCompletion(model: CompletionModel, engine: string): string {
  return `#compdef storectl
# Completion of storectl for zsh. Generated: run \`npm run generate\` instead of editing it.
# Save it as _storectl in a folder of $fpath, or load it with: source <(storectl completion zsh)

# Each of these answers in _storectl_reply.

# The commands below the path, as name:description.
_storectl_commands() {
  case $1 in
${lists(model.nodes.map(({ path, commands }) => [path, commands.map(({ name, summary }) => quote(`${name}:${summary}`))]))}
  esac
}

# The flags of the path, as flag:description.
_storectl_flags() {
  case $1 in
${lists(model.nodes.map(({ path, flags }) => [path, flags.flatMap(described)]))}
  esac
  _storectl_reply+=(
    ${model.flags.flatMap(described).join('\n    ')}
  )
}

# How the value of a flag is completed: - for a switch, nothing for any text, @kind for what is looked up, words, and a
# comma before the words of a list.
_storectl_value() {
  case "$1 $2" in
${cases(valueRows(model), '-')}
  esac
}

# The same for a positional argument by its number, from 0: - where there is none.
_storectl_argument() {
  case "$1 $2" in
${cases(argumentRows(model), '-')}
  esac
}

${engine}`;
}

function described({ names, description }: CompletedFlag): string[] {
  return names.map((name) => quote(`${name}:${description}`));
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function lists(rows: readonly (readonly [path: string, items: readonly string[]])[]): string {
  const branches = groupByResult(rows.map(([path, items]) => [path, items.join('\n      ')])).map(
    ([items, paths]) =>
      items === ''
        ? ''
        : `    ${paths.map(quote).join(' | ')})
      _storectl_reply=(
      ${items}
      )
      ;;
`,
  );
  return `${branches.join('')}    *) _storectl_reply=() ;;`;
}
