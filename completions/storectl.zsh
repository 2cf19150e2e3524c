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

if [[ ${funcstack[1]} == _storectl ]]; then
  _storectl "$@"
else
  compdef _storectl storectl
fi
