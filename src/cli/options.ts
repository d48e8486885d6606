import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseShard, type Shard } from '../model/shard.ts'
import { type FormatName, formatNames } from '../report/names.ts'
import { prefixProblem } from '../secrets/references.ts'
import { EnvOption } from './environment.ts'

/** Which sites and WLANs a run is about. */
export interface SelectionOptions {
  readonly site: readonly string[]
  readonly wlan: readonly string[]
}

/** Which part of the fleet a run covers. */
export interface FleetOptions extends SelectionOptions {
  readonly shard?: Shard
  /** A revision of git's. */
  readonly changedSince?: string
  /** A revision of git's that the fleet is compared with, without narrowing the run. */
  readonly base?: string
  /** Sites to read at most of those that the base does not declare; `policy` asks the base's policy. */
  readonly maxNewSites?: number | 'policy' | 'all'
  /** What an earlier run left, of which only the unread sites are covered. */
  readonly continue?: string
}

/** Where the secrets come from; never said by a file of the fleet. */
export interface SecretFlags {
  readonly secretsDir?: string
  readonly secretPrefix: string
}

/** How to reach the service. */
export interface ServiceOptions {
  readonly baseUrl?: string
  readonly tokenFile?: string
  readonly parallelism: number
  /** Seconds a request may take. */
  readonly timeout: number
  /** Times a request is made before it is given up. */
  readonly maxAttempts: number
  /** The longest wait on a rate limit, in seconds. */
  readonly maxWait: number
  /** The most requests to make. */
  readonly maxRequests?: number
}

/** How a run tells its result. */
export interface ReportOptions {
  readonly format: FormatName
  readonly report: readonly ReportFile[]
  /** False with `--no-color`. */
  readonly color: boolean
  readonly quiet?: true
  readonly verbose?: true
  /** The fleet that the result is about; absent where it is about none. */
  readonly fleet?: string
}

/** The options of every command that plans. */
export type PlanningOptions = FleetOptions & SecretFlags & ServiceOptions & ReportOptions

/** A further form of the result: `--report FORMAT=FILE`. */
export interface ReportFile {
  readonly format: FormatName
  readonly file: string
}

export function addPlanningOptions(command: Command): Command {
  const fleet = addBaseOptions(addFleetOptions(command))
  return addReportOptions(addServiceOptions(addSecretOptions(fleet)))
}

/** For the commands that plan what a pull request declares. */
function addBaseOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--base <rev>',
        'compare with this revision of git, and read the sites that it declares first'
      ).conflicts('changedSince')
    )
    .addOption(
      new Option('--max-new-sites <n|all>', 'the most sites to read that the base does not declare')
        .argParser(numberOrAll)
        .default('policy', 'policy.max_new_sites of the base')
    )
}

/** A number of at most nine digits, or `all`. */
export function numberOrAll(text: string): number | 'all' {
  if (text === 'all') return 'all'
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number, or `all`.')
}

export function addFleetOptions(command: Command): Command {
  const fleet = command.argument('[fleet]', 'the directory with the YAML files', '.')
  return addSelectionOptions(fleet)
    .addOption(
      new Option('--shard <i/n>', 'only the sites of this part of n, by their ids').argParser(shard)
    )
    .addOption(
      new Option(
        '--changed-since <rev>',
        'only sites that are not declared as at this revision of git'
      )
    )
}

export function addSelectionOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--site <glob>', 'only sites whose name or id is like this; repeatable')
        .argParser(append)
        .default([], 'all')
    )
    .addOption(
      new Option('--wlan <glob>', 'only WLANs whose key or address is like this; repeatable')
        .argParser(append)
        .default([], 'all')
    )
}

/** For the commands whose result can be merged with an earlier one. */
export function addContinueOption(command: Command): Command {
  return command.addOption(
    new Option('--continue <file>', 'only the sites that this plan or snapshot could not read')
  )
}

export function addSecretOptions(command: Command): Command {
  return addSecretPrefix(command).addOption(
    new EnvOption('--secrets-dir <dir>', 'where `$file` secrets are', 'WLANCTL_SECRETS_DIR')
  )
}

export function addSecretPrefix(command: Command): Command {
  return command.addOption(
    new EnvOption(
      '--secret-prefix <prefix>',
      'what the names of `$env` secrets begin with',
      'WLANCTL_SECRET_PREFIX'
    )
      .argParser(secretPrefix)
      .default('WLAN_SECRET_')
  )
}

export function addServiceOptions(command: Command): Command {
  return command
    .addOption(new EnvOption('--base-url <url>', 'the address of the service', 'WLANCTL_BASE_URL'))
    .addOption(
      new EnvOption(
        '--token-file <file>',
        'a file with the API token, instead of WLANCTL_API_TOKEN',
        'WLANCTL_TOKEN_FILE'
      )
    )
    .addOption(
      new EnvOption('--parallelism <n>', 'sites worked on at once, 1 to 256', 'WLANCTL_PARALLELISM')
        .argParser(integerBetween(1, 256))
        .default(10)
    )
    .addOption(
      new EnvOption('--timeout <seconds>', 'how long one request may take', 'WLANCTL_TIMEOUT')
        .argParser(integerBetween(1, 3600))
        .default(30)
    )
    .addOption(
      new EnvOption(
        '--max-attempts <n>',
        'how often a request that fails is made, 1 to 100',
        'WLANCTL_MAX_ATTEMPTS'
      )
        .argParser(integerBetween(1, 100))
        .default(6)
    )
    .addOption(
      new EnvOption('--max-wait <seconds>', 'the longest wait on a rate limit', 'WLANCTL_MAX_WAIT')
        .argParser(integerBetween(0, 86_400))
        .default(60)
    )
    .addOption(
      new Option('--max-requests <n>', 'stop before more requests than these are made').argParser(
        integerBetween(1, 1_000_000_000)
      )
    )
}

export function addReportOptions(command: Command): Command {
  command
    .addOption(
      new EnvOption('--format <format>', 'how the result is written', 'WLANCTL_FORMAT')
        .choices(formatNames)
        .default('text')
    )
    .addOption(
      new Option('--report <format=file>', 'write the result in this form to a file, too')
        .argParser(reportFile)
        .default([], 'none')
    )
  return addMannerOptions(command)
}

/** For a command whose result no other has: it is written for people, or as JSON. */
export function addOwnFormat(command: Command): Command {
  command.addOption(
    new Option('--format <format>', 'how the result is written')
      .choices(['text', 'json'])
      .default('text')
  )
  return addMannerOptions(command)
}

function addMannerOptions(command: Command): Command {
  return command
    .option('--no-color', 'no colour, also on a terminal')
    .addOption(
      new Option('--quiet', 'nothing beside the result but what is wrong').conflicts('verbose')
    )
    .option('--verbose', 'say more on the way')
}

/** An example for the end of a command's help; every one of them is run by a test. */
export function addExample(command: Command, ...lines: readonly string[]): Command {
  return command.addHelpText('after', `\nExample:\n${lines.map(line => `  $ ${line}`).join('\n')}`)
}

/** A whole number within bounds. */
export function integerBetween(least: number, most: number): (text: string) => number {
  return text => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= least && value <= most) return value
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
  }
}

/** Collects what a repeatable option was given. */
export function append(text: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, text]
}

function secretPrefix(text: string): string {
  const problem = prefixProblem(text)
  if (problem === undefined) return text
  throw new InvalidArgumentError(`It must be like WLAN_SECRET_: ${problem}.`)
}

function shard(text: string): Shard {
  const parsed = parseShard(text)
  if (parsed !== undefined) return parsed
  throw new InvalidArgumentError('It must be like 3/8: which part, from 1, and of how many.')
}

function reportFile(text: string, earlier: readonly ReportFile[]): readonly ReportFile[] {
  const [name = '', ...rest] = text.split('=')
  const file = rest.join('=')
  const format = formatNames.find(known => known === name)
  if (format === undefined || file === '') {
    throw new InvalidArgumentError(`It must be FORMAT=FILE, with one of ${formatNames.join(', ')}.`)
  }
  return [...earlier, { format, file }]
}
