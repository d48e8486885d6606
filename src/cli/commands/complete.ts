import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { Argument, type Command, type Option } from 'commander'
import { exit } from '../../core/model/failure.ts'
import { loadFleet } from '../../fleet/load.ts'
import { referencesOnly } from '../../fleet/secrets/source.ts'
import { formatNames } from '../../report/report.ts'
import type { CommandRow } from '../command.ts'
import { type Io, write } from '../terminal/io.ts'

export const command: CommandRow = {
  arguments: [
    new Argument(
      '<words...>',
      'the words after `wlanctl`; the last one, which may be empty, is completed'
    )
  ],
  async run({ io, loadProgram }, words: readonly string[]) {
    const line = readLine(words, await loadProgram(words), io)
    const candidates = (await candidatesOf(line, io)).filter(({ text }) =>
      text.startsWith(line.current)
    )
    await write(io, candidates.map(each => `${line.lead}${format(each)}\n`).join(''))
    return exit.done
  }
}

interface Line {
  readonly command: Command
  /** The value of `--fleet`, or the argument that seems to be the fleet. */
  readonly fleet: string
  readonly option: Option | undefined
  readonly current: string
  /** The text before the candidates: the option in `--format=js`, which is one word except in bash. */
  readonly lead: string
}

function readLine(words: readonly string[], program: Command, io: Io): Line {
  const [, lead = '', rest = words.at(-1) ?? ''] =
    /^(--[\w-]+=)(.*)$/s.exec(words.at(-1) ?? '') ?? []
  // Bash makes three words of `--format=js`, or two of `--format=`.
  const isEmptyValue = rest === '=' && lead === ''
  let command = program
  let fleet = '.'
  let option: Option | undefined
  for (const word of [...words.slice(0, -1), ...(lead === '' ? [] : [lead.slice(0, -1)])]) {
    if (word === '=') continue
    if (option !== undefined) {
      if (option.long === '--fleet') fleet = word
      option = undefined
    } else if (word.startsWith('-')) {
      const [, flag = word, value] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? []
      option = command.options.find(
        ({ long, short, required }) => required && (long === flag || short === flag)
      )
      if (value === undefined) continue
      if (flag === '--fleet') fleet = value
      option = undefined
    } else {
      const subcommand = command.commands.find(each => each.name() === word)
      if (subcommand !== undefined) command = subcommand
      else if (!takesAddresses(command) && mayBeFleet(word, fleet, io)) fleet = word
    }
  }
  return { command, fleet, option, current: isEmptyValue ? '' : rest, lead }
}

function takesAddresses({ options }: Command): boolean {
  return options.some(({ long }) => long === '--fleet')
}

/** True for the first directory, or else the first argument that is no file: a wrong name completes nothing. */
function mayBeFleet(word: string, earlier: string, { cwd }: Io): boolean {
  const found = (path: string) => statSync(resolve(cwd, path), { throwIfNoEntry: false })
  return !found(word)?.isFile() && (earlier === '.' || !found(earlier)?.isDirectory())
}

interface Candidate {
  readonly text: string
  readonly description?: string
}

/** A line for the shells: zsh and fish show what follows a tab as the description. */
function format({ text, description = '' }: Candidate): string {
  return description === '' ? text : `${text}\t${description}`
}

async function candidatesOf(line: Line, io: Io): Promise<readonly Candidate[]> {
  const { command, option, current } = line
  if (option !== undefined) return (await valuesOf(option, line, io)).map(text => ({ text }))
  if (line.lead !== '') return []
  if (current.startsWith('-')) return optionsOf(command)
  const words = [
    ...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    ...(command.name() === 'explain' ? await topics() : []),
    ...(takesAddresses(command) ? await namesIn('address', line.fleet, io) : [])
  ]
  const help = command.createHelp()
  const subcommands = help.visibleCommands(command).map(each => ({
    text: each.name(),
    description: help.subcommandDescription(each)
  }))
  return [...subcommands, ...words.map(text => ({ text }))]
}

function optionsOf(command: Command): Candidate[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long, short, description }) =>
      [long, short].flatMap(text => (text == null ? [] : { text, description }))
    )
}

async function topics(): Promise<readonly string[]> {
  const { explainableTopics } = await import('../../core/lint/explain.ts')
  return explainableTopics()
}

const fieldOptions: ReadonlySet<string> = new Set(['where', 'columns', 'sort', 'count-by', 'by'])

async function valuesOf(option: Option, { fleet }: Line, io: Io): Promise<readonly string[]> {
  const name = option.name()
  if (name === 'site' || name === 'wlan') return namesIn(name, fleet, io)
  if (fieldOptions.has(name)) return (await import('../../core/query/field.ts')).queryNames()
  if (name === 'report') return formatNames.map(each => `${each}=`)
  return option.argChoices ?? []
}

/** Sorted names of sites, or keys or addresses of WLANs; none for an invalid fleet. */
async function namesIn(
  kind: 'site' | 'wlan' | 'address',
  directory: string,
  io: Io
): Promise<readonly string[]> {
  const { desired } = await loadFleet({
    directory,
    cwd: io.cwd,
    secrets: referencesOnly(),
    signal: io.interrupted
  })
  const sites = desired?.sites ?? []
  if (kind === 'site') return sites.map(({ name }) => name).sort()
  const wlans = sites.flatMap(site => site.wlans)
  return [...new Set(wlans.map(({ key, address }) => (kind === 'wlan' ? key : address)))].sort()
}
