import { Argument, type Command } from 'commander'
import { exit } from '../../model/failure.ts'
import type { Context } from '../context.ts'
import { write } from '../io.ts'
import { addExample } from '../options.ts'

/** The words of one command, as a shell completes them. */
interface Words {
  /** The command and its subcommand, e.g. `token create`. */
  readonly path: string
  readonly does: string
  readonly options: readonly {
    readonly flag: string
    readonly does: string
    readonly takes: boolean
  }[]
  readonly choices: readonly string[]
}

/** The shells we know, each with its way of writing the same words. */
const shells = { bash, zsh, fish }

export function define(command: Command, { io, ends, whole }: Context): void {
  command.addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(shells))).action(
    ends(async (shell: keyof typeof shells) => {
      const words = wordsOf(await whole())
      await write(io, shells[shell](words))
      return exit.done
    })
  )
  addExample(command, 'wlanctl completion bash')
}

function wordsOf(command: Command, path: readonly string[] = []): Words[] {
  const help = command.createHelp()
  const own: Words = {
    path: path.join(' '),
    does: command.description(),
    options: help
      .visibleOptions(command)
      .flatMap(option =>
        option.long ? [{ flag: option.long, does: option.description, takes: option.required }] : []
      ),
    choices: [
      ...help.visibleCommands(command).map(below => below.name()),
      ...command.registeredArguments.flatMap(argument => argument.argChoices ?? [])
    ]
  }
  return [own, ...command.commands.flatMap(below => wordsOf(below, [...path, below.name()]))]
}

function bash(words: readonly Words[]): string {
  const cases = words.map(
    ({ path, options, choices }) =>
      `    '${path}') words='${[...choices, ...options.map(({ flag }) => flag)].join(' ')}' ;;`
  )
  return `# bash completion of wlanctl; load it with: source <(wlanctl completion bash)
_wlanctl() {
  local current=\${COMP_WORDS[COMP_CWORD]} path= word words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case "$path $word" in
${words
  .filter(({ path }) => path !== '')
  .map(({ path }) => `      '${path.includes(' ') ? path : ` ${path}`}') path='${path}' ;;`)
  .join('\n')}
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _wlanctl wlanctl
`
}

function zsh(words: readonly Words[]): string {
  return `#compdef wlanctl
# zsh completion of wlanctl; load it with: source <(wlanctl completion zsh)
autoload -U +X bashcompinit && bashcompinit
${bash(words)}`
}

function fish(words: readonly Words[]): string {
  const lines = words.flatMap(({ path, options, choices }) => {
    const when =
      path === ''
        ? '__fish_use_subcommand'
        : path
            .split(' ')
            .map(word => `__fish_seen_subcommand_from ${word}`)
            .join('; and ')
    const does = new Map(
      words
        .filter(below => parentOf(below.path) === path)
        .map(below => [below.path.split(' ').at(-1), below.does])
    )
    return [
      ...choices.map(
        choice =>
          `complete -c wlanctl -n '${when}' -a '${choice}' -d ${quoted(does.get(choice) ?? '')}`
      ),
      ...options.map(
        option =>
          `complete -c wlanctl -n '${when}' -l ${option.flag.slice(2)}${option.takes ? ' -r' : ''} -d ${quoted(option.does)}`
      )
    ]
  })
  return `# fish completion of wlanctl; load it with: wlanctl completion fish | source\n${lines.join('\n')}\n`
}

function parentOf(path: string): string | undefined {
  return path === '' ? undefined : path.split(' ').slice(0, -1).join(' ')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "\\'")}'`
}
