import { Command, Help, type Option } from 'commander'
import { highest } from '../../core/values/collections.ts'
import { optionSets } from '../options.ts'

/** `brief`, for `-h`: the options and commands that matter most; `full`, for `--help`: all. */
export type HelpDetail = 'brief' | 'full'

export const commandGroups = {
  trial: 'Try it:',
  view: 'See your networks:',
  start: 'Take control:',
  change: 'Every change:',
  after: 'Afterwards:',
  machines: 'For machines:'
}

const minorOptions: ReadonlySet<string> = new Set([
  '--exclude-site',
  '--shard',
  '--changed-since',
  '--secret-prefix',
  '--secrets-dir',
  '--secrets-file',
  '--count-by',
  '--expect',
  '--force',
  '--max-changes',
  '--max-impact',
  '--ignore-windows',
  '--verify-timeout',
  '--without-fleet',
  '--no-color',
  '--quiet',
  '--verbose',
  '--help'
])

/** Helps in which one line stands for the options of the connection; `help connection` lists them. */
export function helpSettings(detail: HelpDetail): Partial<Help> {
  return {
    ...narrow,
    formatHelp: (command, helper) => {
      const isShown = ({ long }: Option) => detail === 'full' || !minorOptions.has(long ?? '')
      const isOverview = command.parent === null
      const all = helper.visibleOptions(command)
      const options = withoutConnection(all.filter(isShown))
      const shown: Help = Object.assign(Object.create(helper), {
        visibleOptions: () => (isOverview && detail === 'brief' ? [] : options),
        visibleCommands: (of: Command) =>
          helper.visibleCommands(of).filter(each => isListed(each, detail))
      })
      const text = Help.prototype.formatHelp.call(shown, command, shown)
      if (isOverview) return `${text}${section(overviewEnd[detail], shown)}`
      return all.every(isShown)
        ? text
        : `${text}\n\`${nameOf(command)} --help\` lists all options.\n`
    }
  }
}

export function connectionHelp(width: number): string {
  const command = new Command('wlanctl COMMAND')
    .usage('[options]')
    .description('The options of every command that sends requests to the service.')
    .helpOption(false)
    .configureHelp({ helpWidth: width, ...narrow })
  for (const option of optionSets.service) command.addOption(option)
  return command.helpInformation()
}

const LEAST_BESIDE = 30

/** The manner of every help: nothing breaks within a word, on narrow terminals neither. */
const narrow: Partial<Help> = {
  optionDescription: describeOption,
  minWidthToWrap: 20,
  formatItem: (term, termWidth, description, helper) => {
    const { helpWidth = 80 } = helper
    const isBeside = helpWidth - termWidth - 4 >= LEAST_BESIDE || description === ''
    if (isBeside)
      return Help.prototype.formatItem.call(helper, term, termWidth, description, helper)
    const lines = helper.boxWrap(description, helpWidth - 6).split('\n')
    return [`  ${term}`, ...lines.map(line => `      ${line}`)].join('\n')
  }
}

interface Section {
  readonly heading: string
  readonly items: readonly (readonly [term: string, description: string])[]
}

/** The last part of the help of the program; for the exit codes see `exit` in `core/model/failure.ts`. */
const overviewEnd: Readonly<Record<HelpDetail, Section>> = {
  brief: {
    heading: 'More help:',
    items: [
      ['wlanctl COMMAND -h', 'the options of a command that matter most'],
      ['wlanctl COMMAND --help', 'all options of a command'],
      ['wlanctl help connection', 'the options of all commands that use the service'],
      ['wlanctl help --all', 'the commands for machines, and the exit codes']
    ]
  },
  full: {
    heading: 'Exit codes:',
    items: [
      ['0', 'done'],
      ['1', 'failed'],
      ['2', 'there are changes (drift, plan --detailed-exitcode) or problems (audit)'],
      ['3', 'the input is wrong; nothing was sent'],
      ['4', 'refused by a limit or policy; nothing was sent'],
      ['5', 'incomplete: not all could be read or applied'],
      ['130', 'interrupted']
    ]
  }
}

function section({ heading, items }: Section, helper: Help): string {
  const width = highest(items.map(([term]) => term.length))
  const lines = items.map(([term, description]) =>
    helper.formatItem(term, width, description, helper)
  )
  return `\n${[heading, ...lines].join('\n')}\n`
}

function isListed(command: Command, detail: HelpDetail): boolean {
  if (command.name() === 'help') return false
  return detail === 'full' || command.helpGroup() !== commandGroups.machines
}

function nameOf(command: Command): string {
  const { parent } = command
  return parent === null ? command.name() : `${nameOf(parent)} ${command.name()}`
}

function withoutConnection(options: readonly Option[]): Option[] {
  const service = optionSets.service.map(({ long }) => long)
  return options.flatMap(option => {
    if (!service.includes(option.long)) return [option]
    if (option.long !== '--base-url') return []
    return [
      Object.create(option, {
        flags: { value: '--base-url <url> …' },
        description: { value: 'the service: see `wlanctl help connection`' }
      })
    ]
  })
}

function describeOption(option: Option): string {
  const { defaultValue, defaultValueDescription } = option
  const isEmpty = Array.isArray(defaultValue) && defaultValueDescription === undefined
  const shown: Option = Object.create(option, {
    presetArg: { value: undefined },
    ...(isEmpty && { defaultValue: { value: undefined } })
  })
  return new Help().optionDescription(shown)
}
