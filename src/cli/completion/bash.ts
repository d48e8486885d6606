import { groupBy } from '../../model/collections.ts'
import type { CommandWords, OptionWords } from './words.ts'

/**
 * The script for bash. The fleet is the first word that is a directory; if none is, the first that is not a
 * file, so that a wrong name offers nothing. Names from a fleet are never expanded by the shell: they are
 * read line by line and quoted, since `compgen -W` would run the commands in them.
 */
export function bash(commands: readonly CommandWords[]): string {
  return `# bash completion of wlanctl; load it with: source <(wlanctl completion bash)
_wlanctl() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  local path= fleet=. word before= words= values= name= i
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]]; then
    previous=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    [[ $word == = ]] && continue
    case "$before" in
      ${valueFlags(commands).join('|')}) before=; continue ;;
    esac
    before=$word
    if [[ -n $path && $word != -* && ! -f $word ]]; then
      [[ $fleet == . || ! -d $fleet ]] && fleet=$word
    fi
    case "$path $word" in
${pathCases(commands)}
    esac
  done
  case "$path" in
${commands.map(wordsCase).join('\n')}
  esac
  case "$path $previous" in
${valueCases(commands)}
  esac
  COMPREPLY=()
  if [[ -n $values ]]; then
    while IFS= read -r name; do
      [[ $name == "$current"* ]] && COMPREPLY+=("$(printf %q "$name")")
    done < <(wlanctl completion bash --values "$values" -- "$fleet" 2>/dev/null)
    return
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ \${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o default -F _wlanctl wlanctl
`
}

/** The script for zsh: that of bash, through the emulation of zsh. */
export function zsh(commands: readonly CommandWords[]): string {
  return `#compdef wlanctl
# zsh completion of wlanctl; load it with: source <(wlanctl completion zsh)
autoload -U +X bashcompinit && bashcompinit
${bash(commands)}`
}

function pathCases(commands: readonly CommandWords[]): string {
  return commands
    .filter(({ path }) => path !== '')
    .map(({ path }) => `      '${path.includes(' ') ? path : ` ${path}`}') path='${path}' ;;`)
    .join('\n')
}

function wordsCase({ path, options, choices }: CommandWords): string {
  const flags = options.flatMap(({ flag, short }) => (short === undefined ? flag : [flag, short]))
  return `    '${path}') words='${[...choices, ...flags].join(' ')}' ;;`
}

/** Every option with a value: the word after it is no fleet. */
function valueFlags(commands: readonly CommandWords[]): string[] {
  const options = commands.flatMap(command => command.options)
  return [...new Set(options.flatMap(({ flag, value }) => (value === undefined ? [] : flag)))]
}

/** What follows an option with a value, the options of all commands with the same values together. */
function valueCases(commands: readonly CommandWords[]): string {
  const cases = commands.flatMap(({ path, options }) =>
    options.flatMap(option =>
      option.value === undefined ? [] : { at: `'${path} ${option.flag}'`, set: assignment(option) }
    )
  )
  return [...groupBy(cases, ({ set }) => set)]
    .map(([set, group]) => `    ${group.map(({ at }) => at).join('|')}) ${set} ;;`)
    .join('\n')
}

function assignment({ value }: OptionWords): string {
  if (value?.kind === 'fleet') return `values=${value.name}`
  return value?.kind === 'words' ? `words='${value.words.join(' ')}'` : 'words='
}
