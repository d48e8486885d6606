import { Argument, type Command, Option } from 'commander'
import { loadFleet } from '../../config/load.ts'
import { groupBy } from '../../model/collections.ts'
import { type ExitCode, exit } from '../../model/failure.ts'
import { referencesOnly } from '../../secrets/source.ts'
import type { Context } from '../context.ts'
import { type Io, write } from '../io.ts'
import { ReportOption } from '../option-values.ts'
import { addExample } from '../options.ts'

const shells = { bash, zsh, fish }

interface Options {
  /** Prints the values of this option instead of the script; the scripts use it. */
  readonly values?: FleetValue
}

export function define(command: Command, { io, ends, loadProgram }: Context): void {
  command
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(shells)))
    .addArgument(new Argument('[fleet]', 'the fleet of --values').default('.'))
    .addOption(
      new Option('--values <option>', 'print the names in a fleet')
        .choices([...fleetValues, 'address'])
        .hideHelp()
    )
    .action(
      ends(async (shell: keyof typeof shells, fleet: string, { values }: Options) => {
        if (values !== undefined) return printValues(values, fleet, io)
        const { explainableTopics } = await import('../../lint/explain.ts')
        const words = wordsOf(await loadProgram())
        await write(io, shells[shell](withArguments(words, 'explain', explainableTopics())))
        return exit.done
      })
    )
  addExample(command, 'wlanctl completion bash')
}

/**
 * Prints the names of the sites, or the keys or addresses of the WLANs of a fleet, one per line; nothing for
 * an invalid fleet.
 */
async function printValues(values: FleetValue, directory: string, io: Io): Promise<ExitCode> {
  const { desired } = await loadFleet({
    directory,
    cwd: io.cwd,
    secrets: referencesOnly(),
    signal: io.interrupted
  })
  const sites = desired?.sites ?? []
  const names =
    values === 'site'
      ? sites.map(({ name }) => name)
      : sites.flatMap(({ wlans }) =>
          wlans.map(({ key, address }) => (values === 'wlan' ? key : address))
        )
  const printable = [...new Set(names)].filter(name => !/\p{Cc}/u.test(name)).sort()
  await write(io, printable.map(name => `${name}\n`).join(''))
  return exit.done
}

/**
 * The script for bash. The fleet is the value of `--fleet` for a command with that option, and otherwise the
 * first argument that is a directory, or else the first that is not a file, so that a wrong name completes
 * nothing. The shell never expands names from a fleet: they are read
 * line by line and quoted, because `compgen -W` would execute commands in them.
 */
function bash(commands: readonly CommandWords[]): string {
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
      --fleet) fleet=$word before=; continue ;;
      ${valueFlags(commands).join('|')}) before=; continue ;;
    esac
    before=$word
    case "$path" in
      ${withFleetOption(commands).join('|')}) ;;
      *) if [[ -n $path && $word != -* && ! -f $word ]]; then
        [[ $fleet == . || ! -d $fleet ]] && fleet=$word
      fi ;;
    esac
    case "$path $word" in
${pathCases(commands)}
    esac
  done
  case "$path" in
${commands.map(wordsCase).join('\n')}
  esac
  [[ $current == -* ]] && values=
  case "$path $previous" in
${valueCases(commands)}
  esac
  COMPREPLY=()
  if [[ -n $values ]]; then
    while IFS= read -r name; do
      [[ $name == "$current"* ]] && COMPREPLY+=("$(printf %q "$name")")
    done < <(wlanctl completion bash --values "$values" -- "$fleet" 2>/dev/null)
  fi
  COMPREPLY+=($(compgen -W "$words" -- "$current"))
  [[ \${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o default -F _wlanctl wlanctl
`
}

/** The script for zsh: the script for bash in the emulation of zsh. */
function zsh(commands: readonly CommandWords[]): string {
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

function wordsCase(command: CommandWords): string {
  const { path, options, choices, topics = [] } = command
  const flags = options.flatMap(({ flag, short }) => (short === undefined ? flag : [flag, short]))
  return `    '${path}') words='${[...choices, ...topics, ...flags].join(' ')}'${takesAddresses(command) ? ' values=address' : ''} ;;`
}

/** True for a command whose arguments are addresses of WLANs: its fleet is an option. */
function takesAddresses({ options }: CommandWords): boolean {
  return options.some(({ flag }) => flag === '--fleet')
}

function withFleetOption(commands: readonly CommandWords[]): string[] {
  return commands.filter(takesAddresses).map(({ path }) => path)
}

/** The options with a value: the argument after one is not the fleet. */
function valueFlags(commands: readonly CommandWords[]): string[] {
  const options = commands.flatMap(command => command.options)
  return [...new Set(options.flatMap(({ flag, value }) => (value === undefined ? [] : flag)))]
}

/** The completion of values; options with the same values share a case. */
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
  if (value?.kind === 'fleet') return `values=${value.name} words=`
  return value?.kind === 'words' ? `values= words='${value.words.join(' ')}'` : 'values= words='
}

/** A function for fish that prints the fleet in the command line, found as in bash. */
function fishFleet(commands: readonly CommandWords[]): string {
  return `function __wlanctl_fleet
  set -l fleet .
  set -l command
  set -l before
  for word in (commandline -opc)[2..]
    if contains -- "$before" ${valueFlags(commands).join(' ')}
      test "$before" = --fleet; and set fleet $word
      set before
      continue
    end
    set before $word
    if string match -q -- '--fleet=*' "$word"
      set fleet (string replace -- --fleet= '' "$word")
    else if string match -q -- '-*' "$word"; or contains -- "$command" ${withFleetOption(commands).join(' ')}
      continue
    else if test -z "$command"
      set command $word
    else if not test -f "$word"; and begin; test "$fleet" = .; or not test -d "$fleet"; end
      set fleet $word
    end
  end
  printf '%s\\n' "$fleet"
end`
}

/** The script for fish. */
function fish(commands: readonly CommandWords[]): string {
  const lines = commands.flatMap(command => {
    const condition = conditionOf(command)
    return [
      ...command.choices.map(
        choice =>
          `complete -c wlanctl -n '${condition}' -a '${choice}' -d ${quote(descriptionOf(choice, command, commands))}`
      ),
      ...topicLines(command, condition),
      ...(takesAddresses(command)
        ? [`complete -c wlanctl -n '${condition}' -f -a ${quote(fishValues('address'))} -d 'WLAN'`]
        : []),
      ...command.options.map(
        option =>
          `complete -c wlanctl -n '${condition}' ${flagsOf(option)} -d ${quote(option.description)}`
      )
    ]
  })
  const head = '# fish completion of wlanctl; load it with: wlanctl completion fish | source'
  return `${head}\n${fishFleet(commands)}\n${lines.join('\n')}\n`
}

function topicLines({ topics, description }: CommandWords, condition: string): string[] {
  if (topics === undefined) return []
  return [
    `complete -c wlanctl -n '${condition}' -f -a ${quote(topics.join(' '))} -d ${quote(description)}`
  ]
}

function conditionOf({ path }: CommandWords): string {
  if (path === '') return '__fish_use_subcommand'
  return path
    .split(' ')
    .map(word => `__fish_seen_subcommand_from ${word}`)
    .join('; and ')
}

function descriptionOf(
  choice: string,
  { path }: CommandWords,
  commands: readonly CommandWords[]
): string {
  const subcommand = `${path} ${choice}`.trimStart()
  return commands.find(command => command.path === subcommand)?.description ?? ''
}

function flagsOf({ flag, short, value }: OptionWords): string {
  const long = `-l ${flag.slice(2)}`
  const flags = short === undefined ? long : `${long} -s ${short.slice(1)}`
  if (value === undefined) return flags
  if (value.kind === 'any') return `${flags} -r`
  const values = value.kind === 'words' ? value.words.join(' ') : fishValues(value.name)
  return `${flags} -r -f -a ${quote(values)}`
}

/** The command that prints names of the fleet in fish. */
function fishValues(name: FleetValue): string {
  return `(wlanctl completion fish --values ${name} -- (__wlanctl_fleet) 2>/dev/null)`
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

/** Options whose values come from the fleet; `wlanctl completion --values` prints them. */
const fleetValues = ['site', 'wlan'] as const

/** The names that `wlanctl completion --values` prints. */
type FleetValue = (typeof fleetValues)[number] | 'address'

/** The completions of one command. */
interface CommandWords {
  /** The command and its subcommand, e.g. `token create`; empty for the program. */
  readonly path: string
  readonly description: string
  readonly options: readonly OptionWords[]
  readonly choices: readonly string[]
  /** The values of the argument if it has a long list of names without descriptions. */
  readonly topics?: readonly string[]
}

interface OptionWords {
  /** E.g. `--format`. */
  readonly flag: string
  /** E.g. `-q`. */
  readonly short: string | undefined
  readonly description: string
  /** The kind of its value; undefined if it has none. */
  readonly value: OptionValue | undefined
}

/** `any` includes files, which every shell completes itself. */
type OptionValue =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'fleet'; readonly name: (typeof fleetValues)[number] }
  | { readonly kind: 'any' }

/** The completions of a command and all its subcommands. */
function wordsOf(command: Command, path: readonly string[] = []): CommandWords[] {
  const help = command.createHelp()
  const own: CommandWords = {
    path: path.join(' '),
    description: command.description(),
    options: help.visibleOptions(command).flatMap(optionWords),
    choices: [
      ...help.visibleCommands(command).map(subcommand => subcommand.name()),
      ...command.registeredArguments.flatMap(argument => argument.argChoices ?? [])
    ]
  }
  const subcommands = command.commands.flatMap(each => wordsOf(each, [...path, each.name()]))
  return [own, ...subcommands]
}

/** Adds the values of a command's argument. */
function withArguments(
  commands: readonly CommandWords[],
  path: string,
  topics: readonly string[]
): CommandWords[] {
  return commands.map(command => (command.path === path ? { ...command, topics } : command))
}

function optionWords(option: Option): OptionWords[] {
  const { long, short, description, required } = option
  if (long === undefined || long === null) return []
  const value = required ? optionValue(option) : undefined
  return [{ flag: long, short: short ?? undefined, description, value }]
}

function optionValue(option: Option): OptionValue {
  const name = fleetValues.find(each => each === option.name())
  if (name !== undefined) return { kind: 'fleet', name }
  if (option.argChoices !== undefined) return { kind: 'words', words: option.argChoices }
  if (option instanceof ReportOption)
    return { kind: 'words', words: option.formats.map(each => `${each}=`) }
  return { kind: 'any' }
}
