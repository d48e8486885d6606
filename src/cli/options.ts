import { Argument, Option } from 'commander'
import { runDefaults } from '../core/model/defaults.ts'
import { impacts } from '../core/model/impact.ts'
import type { Shard } from '../core/model/shard.ts'
import type { Allowances } from '../core/plan/guards.ts'
import type { SecretOptions } from '../fleet/secrets/source.ts'
import { type FormatName, formatNames } from '../report/report.ts'
import type { ExecuteOptions } from '../run/execute-plan.ts'
import {
  appendGroupName,
  EnvOption,
  integerBetween,
  numberOrAll,
  parseDigest,
  parseReportFile,
  parseSecretPrefix,
  parseShardOption,
  type ReportFile,
  repeatable
} from './option-values.ts'

export interface ServiceOptions {
  readonly baseUrl?: string
  readonly tokenFile?: string
  readonly parallelism: number
  /** The timeout of a request in seconds. */
  readonly timeout: number
  readonly maxAttempts: number
  /** The maximum wait for a rate limit, in seconds. */
  readonly maxWait: number
}

export interface ReportOptions {
  readonly format: FormatName
  readonly report: readonly ReportFile[]
  readonly color: boolean
  readonly quiet?: true
  readonly verbose?: true
  /** The directory of the fleet in the result; absent if there is none. */
  readonly fleet?: string
  /** Of a revert: the arguments that say what it restores, and its fleet. */
  readonly restores?: { readonly words: readonly string[]; readonly fleet?: string }
}

export interface SelectionOptions {
  readonly site: readonly string[]
  readonly excludeSite?: readonly string[]
  readonly wlan: readonly string[]
}

export interface FleetOptions extends SelectionOptions {
  readonly shard?: Shard
  /** A revision of Git; the run covers the sites that changed since. */
  readonly changedSince?: string
  /** A revision of Git to compare the fleet with; it does not narrow the run. */
  readonly base?: string
}

export interface ApprovalOptions {
  readonly plan: readonly string[]
  readonly expect?: string
}

export interface ExecuteCommandOptions extends Allowances, Omit<ExecuteOptions, 'record'> {
  readonly yes?: true
  readonly record?: string
}

/** The options of a command that reads the sites of a fleet, or of an organization. */
export type ReadingOptions = FleetOptions & ServiceOptions & ReportOptions

export type PlanningOptions = ReadingOptions & SecretOptions

export interface ApplyCommandOptions
  extends PlanningOptions,
    ApprovalOptions,
    ExecuteCommandOptions {
  /** The health check after each wave: a command for the shell. */
  readonly check?: string
}

export const groups = {
  selection: 'Selection:',
  connection: 'Connection:',
  secrets: 'Secrets:',
  limits: 'Limits and approval:',
  rollout: 'Rollout:',
  repository: 'Repository:',
  output: 'Output:',
  general: 'General:'
}

export function under(heading: string, ...options: Option[]): Option[] {
  return options.map(option => option.helpGroup(heading))
}

export const fleetArgument = new Argument('[fleet]', 'the directory with the YAML files').default(
  '.'
)

// An option of each command's own: commands have these under different headings.

const yesOption = () =>
  new Option('-y, --yes', 'skip the confirmation; required without a terminal')

export const noColorOption = () => new Option('--no-color', 'no colour, even on a terminal')

export const formatOption = () =>
  new Option('--format <format>', 'the format of the result')
    .choices(['text', 'json'])
    .default('text')

const sites = under(
  groups.selection,
  repeatable(
    '--site <glob>',
    'only sites with a matching name or id, such as store-[1-3] or !lab*; repeatable'
  ),
  repeatable('--exclude-site <glob>', 'no sites with a matching name or id; repeatable')
)

const selection = [
  ...sites,
  ...under(
    groups.selection,
    repeatable('--wlan <glob>', 'only WLANs with a matching key or address; repeatable')
  )
]

const shard = under(
  groups.selection,
  new Option('--shard <i/n>', 'only the sites of part i of n').argParser(parseShardOption)
)

const changedSince = under(
  groups.selection,
  new Option(
    '--changed-since <rev>',
    'only sites whose declaration changed since this revision of git'
  )
)

const part = [...selection, ...shard, ...changedSince]

const secretPrefix = under(
  groups.secrets,
  new EnvOption(
    '--secret-prefix <prefix>',
    'the prefix of the variables of `$env` secrets',
    'WLANCTL_SECRET_PREFIX'
  )
    .argParser(parseSecretPrefix)
    .default(runDefaults.secretPrefix)
)

const secrets = [
  ...secretPrefix,
  ...under(
    groups.secrets,
    new EnvOption('--secrets-dir <dir>', 'the directory of `$file` secrets', 'WLANCTL_SECRETS_DIR'),
    new EnvOption(
      '--secrets-file <file>',
      'a file with the `$env` secrets that the environment lacks, a line NAME=value each',
      'WLANCTL_SECRETS_FILE'
    )
  )
]

const service = under(
  groups.connection,
  new EnvOption('--base-url <url>', 'the address of the service', 'WLANCTL_BASE_URL'),
  new EnvOption(
    '--token-file <file>',
    'a file with the API token, instead of WLANCTL_API_TOKEN',
    'WLANCTL_TOKEN_FILE'
  ),
  new EnvOption('--parallelism <n>', 'sites at the same time, 1 to 256', 'WLANCTL_PARALLELISM')
    .argParser(integerBetween(1, 256))
    .default(runDefaults.parallelism),
  new EnvOption('--timeout <seconds>', 'how long one request may take', 'WLANCTL_TIMEOUT')
    .argParser(integerBetween(1, 3600))
    .default(runDefaults.timeout),
  new EnvOption(
    '--max-attempts <n>',
    'the maximum number of attempts of a request, 1 to 100',
    'WLANCTL_MAX_ATTEMPTS'
  )
    .argParser(integerBetween(1, 100))
    .default(runDefaults.maxAttempts),
  new EnvOption('--max-wait <seconds>', 'the longest wait for a rate limit', 'WLANCTL_MAX_WAIT')
    .argParser(integerBetween(0, 86_400))
    .default(runDefaults.maxWait)
)

const verbosity = under(
  groups.output,
  noColorOption(),
  new Option('-q, --quiet', 'print only the result and errors').conflicts('verbose'),
  new Option('--verbose', 'print each step, and each guard field that is not declared')
)

/** A report in any format, `text` by default. `more`: formats that only stdout has. */
const reportIn = (...more: readonly string[]) => [
  ...under(
    groups.output,
    new EnvOption('--format <format>', 'the format of the result', 'WLANCTL_FORMAT')
      .choices([...formatNames, ...more])
      .default('text'),
    new Option('--report <format=file>', 'also write the result to a file, in this format')
      .argParser(parseReportFile)
      .default([])
  ),
  ...verbosity
]
const report = reportIn()

const base = under(groups.selection, baseOption('compare with this revision of git'))

export const optionSets = {
  sites,
  shard,
  changedSince,
  selection,
  part,
  secretPrefix,
  secrets,
  service,
  verbosity,
  report,
  reportOrCsv: reportIn('csv'),
  planning: [...part, ...base, ...secrets, ...service, ...report],
  approval: under(
    groups.limits,
    repeatable('--plan <file>', 'send only what this saved plan approves; repeatable'),
    new Option('--expect <digest>', 'refuse unless the plan has this digest').argParser(parseDigest)
  ),
  editing: [
    ...under(
      groups.limits,
      yesOption(),
      new Option('--dry-run', 'print the diff, and write nothing').conflicts(['yes', 'out'])
    ),
    ...under(
      groups.output,
      new Option(
        '--out <file>',
        'write a patch for `git apply` instead of changing the files'
      ).conflicts('yes')
    )
  ],
  /** For commands that execute a plan; none of them has an environment variable. */
  execute: [
    ...under(
      groups.limits,
      yesOption(),
      new Option('--max-changes <n|all>', 'the most WLANs to change').argParser(numberOrAll),
      repeatable(
        '--allow-downgrade [glob]',
        'allow changes that weaken security, of all WLANs or those with a matching address; repeatable'
      ).preset('*'),
      new Option('--max-impact <impact>', 'the worst impact on clients to allow').choices(impacts),
      new Option('--ignore-windows', 'also send outside of windows, and in a freeze')
    ),
    ...under(
      groups.rollout,
      new Option('--verify-timeout <seconds>', 'how long to wait for a change to be visible')
        .argParser(integerBetween(0, 3600))
        .default(runDefaults.verifyTimeout)
    ),
    ...under(
      groups.output,
      new Option('--record <file>', 'append each step to a file, for `show` and `revert`')
    )
  ],
  rollout: under(
    groups.rollout,
    new EnvOption(
      '--check <command>',
      'a health check to run after each wave; any non-zero exit code stops the rollout',
      'WLANCTL_CHECK'
    )
  )
} satisfies Readonly<Record<string, readonly Option[]>>

export function baseOption(description: string): Option {
  return new Option('--base <rev>', description).conflicts('changedSince')
}

export function groupNameOption(): Option {
  return new Option(
    '--group <name=glob>',
    'the name of a group of sites: the glob matches a value that they share, or all of their names, such as north=10.10.*; repeatable'
  )
    .argParser(appendGroupName)
    .default([], 'a common word of the names, or a number')
}
