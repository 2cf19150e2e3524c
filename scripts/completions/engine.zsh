# Offers what the value says for the word at the cursor.
_storectl_complete_value() {
  local value=$1 word chosen
  local -a items left
  case $value in
    '') _message 'a value' ;;
    @file) _files ;;
    @*)
      items=(${(f)"$($_storectl_program __complete ${value#@} "${(@)_storectl_typed}" 2>/dev/null </dev/null)"})
      items=("${(@)items/$'\t'/:}")
      # The newest comes first, and stays there.
      _describe -V "${value#@}" items || _message "no ${value#@} is known to this machine"
      ;;
    ,*)
      chosen=,${PREFIX%"${PREFIX##*,}"}
      compset -P '*,'
      for word in ${=${value#,}}; do
        [[ $chosen == *",$word,"* ]] || left+=($word)
      done
      # Another one may follow: the comma goes away where none does.
      if (( $#left > 1 )); then compadd -q -S , -- $left; else compadd -- $left; fi
      ;;
    *) compadd -- ${=value} ;;
  esac
}

_storectl() {
  # PATH is tied to the name path.
  local where= pending= ended= word _storectl_program=${(Q)words[1]}
  local -i position=0
  local -a _storectl_reply _storectl_typed
  _storectl_typed=("${(@Q)words[2,CURRENT-1]}")

  _storectl_program=${_storectl_program/#\~\//$HOME/}
  # An alias has another name than the program.
  whence -- $_storectl_program >/dev/null && (( ! $+aliases[$_storectl_program] )) || _storectl_program=storectl

  for word in "${(@)_storectl_typed}"; do
    if [[ -n $pending ]]; then
      pending=
    elif [[ -z $ended && $word == -- ]]; then
      ended=1
    elif [[ -z $ended && $word == --*=* ]]; then
      :
    elif [[ -z $ended && $word == -?* ]]; then
      _storectl_value "$where" "$word"
      [[ $_storectl_reply == - ]] || pending=$word
    else
      _storectl_commands "$where"
      if (( ${_storectl_reply[(I)${(b)word}:*]} )); then
        where=${where:+$where }$word
      elif [[ -n $where || $word != help ]]; then
        position+=1
      fi
    fi
  done

  if [[ -n $pending ]]; then
    _storectl_value "$where" "$pending"
    _storectl_complete_value "$_storectl_reply"
  elif [[ -z $ended && $PREFIX == --*=* ]]; then
    _storectl_value "$where" "${PREFIX%%=*}"
    compset -P '*='
    [[ $_storectl_reply == - ]] || _storectl_complete_value "$_storectl_reply"
  elif [[ -z $ended && $PREFIX == -* ]]; then
    _storectl_flags "$where"
    _describe -o option _storectl_reply
  else
    _storectl_commands "$where"
    if (( $#_storectl_reply )); then
      (( position )) || _describe command _storectl_reply
    else
      _storectl_argument "$where" "$position"
      if [[ $_storectl_reply != - ]]; then
        _storectl_complete_value "$_storectl_reply"
      elif [[ -z $ended && -z $PREFIX ]]; then
        _storectl_flags "$where"
        _describe -o option _storectl_reply
      fi
    fi
  fi
}

if [[ ${funcstack[1]} == _storectl ]]; then
  _storectl "$@"
else
  compdef _storectl storectl
fi
