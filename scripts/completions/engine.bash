# Offers the words that begin with PREFIX; each gets BEFORE in front.
_storectl_offer() {
  local prefix=$1 before=$2 word
  shift 2
  for word in "$@"; do
    if [[ $word == "$prefix"* ]]; then COMPREPLY+=("$before$word"); fi
  done
}

# Offers what VALUE says for the text CURRENT, with BEFORE in front.
_storectl_complete_value() {
  local value=$1 current=$2 before=$3 word chosen left
  case $value in
    '') ;;
    @file)
      # Readline knows how to quote the names of files; before bash 4 there is no way to tell it to.
      if compopt -o default 2>/dev/null; then return; fi
      while IFS= read -r word; do COMPREPLY+=("$before$word"); done < <(compgen -f -- "$current")
      ;;
    @*)
      while IFS=$'\t' read -r word _; do
        _storectl_offer "$current" "$before" "$word"
      done < <("$_storectl_program" __complete "${value#@}" "${_storectl_typed[@]}" 2>/dev/null </dev/null)
      ;;
    ,*)
      chosen=
      if [[ $current == *,* ]]; then chosen=${current%,*},; fi
      left=()
      for word in ${value#,}; do
        if [[ ,$chosen != *",$word,"* ]]; then left+=("$word"); fi
      done
      _storectl_offer "${current##*,}" "$before$chosen" "${left[@]}"
      # Another one may follow.
      if ((${#left[@]} > 1)); then compopt -o nospace 2>/dev/null; fi
      ;;
    *) _storectl_offer "$current" "$before" $value ;;
  esac
}

_storectl() {
  local IFS=$' \t\n' words word rest stripped number path= position=0 pending= ended= current breaks
  local _storectl_reply _storectl_program=$1 _storectl_typed
  COMPREPLY=()

  # Readline cuts words at = and : as well: what stood together on the line is put together again.
  rest=${COMP_LINE:0:COMP_POINT}
  words=()
  for ((number = 0; number <= COMP_CWORD; number++)); do
    word=${COMP_WORDS[number]}
    stripped=${rest#"${rest%%[![:space:]]*}"}
    if [[ $stripped != "$word"* ]]; then word=$stripped; fi
    if ((number > 0)) && [[ $stripped == "$rest" ]]; then
      words[${#words[@]} - 1]+=$word
    else
      words+=("$word")
    fi
    rest=${stripped:${#word}}
  done
  current=${words[${#words[@]} - 1]}
  _storectl_typed=("${words[@]:1:${#words[@]} - 2}")

  case $_storectl_program in
    '~/'*) _storectl_program=$HOME/${_storectl_program#'~/'} ;;
  esac
  # An alias has another name than the program.
  case $(type -t "$_storectl_program") in
    file | function) ;;
    *) _storectl_program=storectl ;;
  esac

  for word in "${_storectl_typed[@]}"; do
    if [[ -n $pending ]]; then
      pending=
    elif [[ -z $ended && $word == -- ]]; then
      ended=1
    elif [[ -z $ended && $word == --*=* ]]; then
      :
    elif [[ -z $ended && $word == -?* ]]; then
      _storectl_value "$path" "$word"
      if [[ $_storectl_reply != - ]]; then pending=$word; fi
    else
      _storectl_commands "$path"
      case " $_storectl_reply " in
        *" $word "*) path="${path:+$path }$word" ;;
        *) if [[ -n $path || $word != help ]]; then ((position++)); fi ;;
      esac
    fi
  done

  if [[ -n $pending ]]; then
    _storectl_value "$path" "$pending"
    _storectl_complete_value "$_storectl_reply" "$current" ''
  elif [[ -z $ended && $current == --*=* ]]; then
    _storectl_value "$path" "${current%%=*}"
    if [[ $_storectl_reply != - ]]; then
      _storectl_complete_value "$_storectl_reply" "${current#*=}" "${current%%=*}="
    fi
  elif [[ -z $ended && $current == -* ]]; then
    _storectl_flags "$path"
    _storectl_offer "$current" '' $_storectl_reply
  else
    _storectl_commands "$path"
    if [[ -n $_storectl_reply ]]; then
      if ((position == 0)); then _storectl_offer "$current" '' $_storectl_reply; fi
    else
      _storectl_argument "$path" "$position"
      if [[ $_storectl_reply != - ]]; then
        _storectl_complete_value "$_storectl_reply" "$current" ''
      elif [[ -z $ended && -z $current ]]; then
        _storectl_flags "$path"
        _storectl_offer '' '' $_storectl_reply
      fi
    fi
  fi

  # Readline replaces what follows the last of its word breaks and no more.
  breaks=${COMP_WORDBREAKS//[!=:]/}
  if [[ -n $breaks && $current == *["$breaks"]* ]]; then
    rest=${current%"${current##*["$breaks"]}"}
    for number in "${!COMPREPLY[@]}"; do COMPREPLY[number]=${COMPREPLY[number]#"$rest"}; done
  fi
  return 0
}

complete -F _storectl storectl
