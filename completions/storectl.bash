# Completion of storectl for bash. Load it with: source <(storectl completion bash)

_storectl() {
  local IFS=$'\n' program=$1 line
  local -a request=("${COMP_LINE:0:COMP_POINT}" "${COMP_TYPE-}" "$COMP_WORDBREAKS" "${COLUMNS:-80}")
  COMPREPLY=()
  case $program in
    '~/'*) program=$HOME/${program#'~/'} ;;
  esac
  # An alias has another name than the program.
  if alias "$program" &>/dev/null || ! type "$program" &>/dev/null; then program=storectl; fi
  compopt -o nosort 2>/dev/null
  while IFS= read -r line; do
    case $line in
      :more) compopt -o nospace 2>/dev/null ;;
      # Readline quotes the names of files itself. Before bash 4 it cannot be asked to.
      :files) compopt -o default 2>/dev/null || COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")) ;;
      *) COMPREPLY+=("$line") ;;
    esac
  done < <("$program" __complete bash "${request[@]}" 2>/dev/null </dev/null)
}

complete -F _storectl storectl
