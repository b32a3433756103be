# Completion of `tess` for bash: subcommands, their options, bundled programs, simulated machines, benchmarks.

_tess_words() {  # what a help text lists at the beginning of its lines
  "$@" --help 2>/dev/null | grep -oE -- '^ +(-[a-zA-Z],)?--[a-z0-9-]+|^ +[a-z+]+ ' | tr ',' '\n' | tr -d ' '
}

_tess() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} tess=${COMP_WORDS[0]}
  local subcommand=${COMP_WORDS[1]} words=''
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    words=$(_tess_words "$tess")
  elif [[ $previous == --machine || $subcommand == machines ]]; then
    words=$("$tess" machines 2>/dev/null | awk '{print $1}')
  elif [[ $previous == --fabric ]]; then
    words='smp ucx checked hostile'
  elif [[ $current == -* ]]; then
    words=$(_tess_words "$tess" "$subcommand")
  elif [[ $subcommand == run ]]; then
    words=$("$tess" run --help 2>/dev/null | sed -n 's/^Bundled programs: //p')
  elif [[ $subcommand == bench ]]; then
    words=$("$tess" bench --list 2>/dev/null)
  elif [[ $subcommand == mem ]]; then
    words=$(_tess_words "$tess" mem)
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  # Files for everything else: programs by path, graphs, outputs.
  if ((${#COMPREPLY[@]} == 0)) || [[ $current == */* ]]; then compopt -o default; COMPREPLY=(); fi
}

complete -F _tess tess
