#compdef storectl
# Completion of storectl for zsh.
# Save it as _storectl in a folder of $fpath, or load it with: source <(storectl completion zsh)

_storectl() {
  local program=${${(Q)words[1]}/#\~\//$HOME/} line
  local -a typed items suffix
  typed=("${(@Q)words[2,CURRENT-1]}")
  # An alias has another name than the program.
  whence -- $program >/dev/null && (( ! $+aliases[$program] )) || program=storectl
  for line in "${(@f)$($program __complete zsh "--current=${(Q)PREFIX}" "${(@)typed}" 2>/dev/null </dev/null)}"; do
    case $line in
      :files) compset -P '--*='; _files ;;
      # The comma goes away when no other word follows.
      :more) suffix=(-q -S ,) ;;
      # A colon begins the description.
      ?*) line=${line//\\/\\\\}; line=${line//:/\\:}; items+=("${line/$'\t'/:}") ;;
    esac
  done
  # -V: in this order, the newest first.
  (( ! $#items )) || _describe -V storectl items $suffix
}

# Called at the first prompt, when the startup files are done: compinit may come after this script in them, or not at all.
_storectl_register() {
  precmd_functions=(${precmd_functions:#_storectl_register})
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
  compdef _storectl storectl
}

if [[ ${funcstack[1]} == _storectl ]]; then
  _storectl "$@"
elif (( $+functions[compdef] )); then
  compdef _storectl storectl
else
  precmd_functions+=(_storectl_register)
fi
