import { Argument } from 'commander'
import { exit } from '../../core/model/failure.ts'
import type { CommandRow } from '../command.ts'
import { write } from '../terminal/io.ts'

/** The shell gets quoted answers: a name may contain `$(…)`. Without any it completes files. */
const scripts = {
  bash: `# bash completion of wlanctl; load it with: source <(wlanctl completion bash)
_wlanctl() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    printf -v word %q "\${word%%$'\\t'*}"
    COMPREPLY+=("$word")
  done < <(wlanctl complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  [[ \${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o default -F _wlanctl wlanctl
`,
  zsh: `#compdef wlanctl
# zsh completion of wlanctl; load it after compinit with: source <(wlanctl completion zsh)
_wlanctl() {
  local -a found names shown
  found=(\${(f)"$(wlanctl complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)"})
  names=("\${(@)found%%$'\\t'*}")
  shown=("\${(@)found/$'\\t'/  -- }")
  if (( ! $#found )); then _files
  elif [[ $names[1] == *= ]]; then compadd -S '' -- $names
  else compadd -l -d shown -- $names
  fi
}
if [[ $funcstack[1] == _wlanctl ]]; then _wlanctl "$@"; else compdef _wlanctl wlanctl; fi
`,
  fish: `# fish completion of wlanctl; load it with: wlanctl completion fish | source
function __wlanctl_complete
  set -l found (wlanctl complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c wlanctl -f -a '(__wlanctl_complete)'
`
}

export const command: CommandRow = {
  arguments: [new Argument('<shell>', 'the shell').choices(Object.keys(scripts))],
  examples: ['wlanctl completion bash'],
  async run({ io }, shell: keyof typeof scripts) {
    await write(io, scripts[shell])
    return exit.done
  }
}
