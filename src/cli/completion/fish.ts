import type { CommandWords, OptionWords } from './words.ts'

/** The fleet on the command line: its first word that is a directory, and no value of an option. */
const FLEET = `function __wlanctl_fleet
  set -l previous
  for word in (commandline -opc)[2..]
    if test -d "$word"; and not string match -q -- '--*' "$previous"
      echo -- $word
      return
    end
    set previous $word
  end
  echo .
end`

/** The script for fish. */
export function fish(commands: readonly CommandWords[]): string {
  const lines = commands.flatMap(command => {
    const condition = conditionOf(command)
    return [
      ...command.choices.map(
        choice =>
          `complete -c wlanctl -n '${condition}' -a '${choice}' -d ${quote(descriptionOf(choice, command, commands))}`
      ),
      ...command.options.map(
        option =>
          `complete -c wlanctl -n '${condition}' ${flagsOf(option)} -d ${quote(option.description)}`
      )
    ]
  })
  const head = '# fish completion of wlanctl; load it with: wlanctl completion fish | source'
  return `${head}\n${FLEET}\n${lines.join('\n')}\n`
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
  const values =
    value.kind === 'words'
      ? value.words.join(' ')
      : `(wlanctl completion fish --values ${value.name} -- (__wlanctl_fleet) 2>/dev/null)`
  return `${flags} -r -f -a ${quote(values)}`
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
