import { isAbsolute, join } from 'node:path'
import { Argument, Option } from 'commander'
import type { ImportedSecret } from '../../author/import/secrets.ts'
import {
  type ImportedSite,
  importSite,
  type RequestedImport,
  type RequestedSite
} from '../../author/import/site.ts'
import type { GroupName } from '../../core/audit/kinds.ts'
import { defaultLintPolicy } from '../../core/model/defaults.ts'
import type { Site } from '../../core/model/desired.ts'
import { type ExitCode, exit, wrongInput } from '../../core/model/failure.ts'
import type { LiveSite, UnreadSite } from '../../core/model/live.ts'
import { compact } from '../../core/values/collections.ts'
import { plural } from '../../core/values/text.ts'
import type { SecretOptions } from '../../fleet/secrets/source.ts'
import { envNameProblem } from '../../fleet/secrets/variable-names.ts'
import { TimeSlice } from '../../fleet/usage.ts'
import type { ImportSummary } from '../../report/report.ts'
import type { LintResult } from '../../run/checks/run-linter.ts'
import { readSitesAsTask, type SiteStep } from '../../run/read-sites.ts'
import type { Reader } from '../../service/client.ts'
import type { CommandRow } from '../command.ts'
import { policyAround } from '../files/declared-sites.ts'
import { addWaivers, checkImport, type Written, writeImport } from '../import/import-files.ts'
import { findingsOfImport, unfitSecrets } from '../import/import-findings.ts'
import { selectSites, WlanSelection } from '../import/live-sites.ts'
import {
  fromOption,
  orgOption,
  type SiteListOptions,
  sitesOf,
  withRequestedSites
} from '../import/requested-sites.ts'
import {
  type FleetOptions,
  groupNameOption,
  groups,
  optionSets,
  type ReportOptions,
  type ServiceOptions,
  under
} from '../options.ts'
import { writeReport } from '../output.ts'
import { type Io, quoteForShell } from '../terminal/io.ts'
import { printNextSteps, sameSelection, withoutDryRun } from '../terminal/next-steps.ts'
import { runContext } from '../terminal/progress.ts'
import { printRequestSummary } from '../terminal/request-summary.ts'

export interface ImportCommandOptions
  extends ServiceOptions,
    ReportOptions,
    SiteListOptions,
    Partial<Pick<FleetOptions, 'site' | 'excludeSite' | 'wlan' | 'shard'>>,
    Pick<SecretOptions, 'secretPrefix'> {
  readonly out: string
  readonly allFields?: true
  readonly plain?: true
  readonly group: readonly GroupName[]
  readonly secretsOut?: string
  readonly secretsDir?: string
  readonly force?: boolean
  readonly dryRun?: true
}

export const command: CommandRow = {
  arguments: [new Argument('[site-id...]', 'the sites to read')],
  options: [
    optionSets.secretPrefix,
    optionSets.service,
    optionSets.report,
    optionSets.selection,
    optionSets.shard,
    under(
      groups.selection,
      fromOption(),
      orgOption(),
      new Option('--all-fields', 'include empty fields and documented defaults')
    ),
    under(
      groups.output,
      new Option('--out <dir>', 'the directory to write to').default('sites'),
      new Option(
        '--plain',
        'write one file for each site; default: what the sites have in common is in profiles and groups'
      ).conflicts('group'),
      groupNameOption(),
      new Option('--secrets-out <file>', 'write the secrets to a file, to move them into a vault'),
      new Option(
        '--secrets-dir <dir>',
        'write each secret to a file in this directory, and refer to it with `$file`'
      ).conflicts('secretsOut'),
      new Option('--force', 'replace existing files'),
      new Option('--dry-run', 'list the files, and write nothing')
    )
  ],
  examples: ['wlanctl import 4ac1dcf4-9d8b-4211-95c4-057819f0862b --secrets-dir keys'],
  async run({ io }, ids: string[], options: ImportCommandOptions) {
    const code = await importSites(ids, { ...options, force: options.force === true }, io)
    const plan = sameSelection('plan', { fleet: options.out })
    const step = options.dryRun
      ? ([withoutDryRun(io.argv), 'writes these files'] as const)
      : ([plan, 'shows no change: the files match the live networks'] as const)
    await printNextSteps(code === exit.done ? [step] : [], options, io)
    return code
  }
}

/**
 * Converts live sites to YAML with one list request for each. A subsequent plan is empty. `writePolicy` runs after the files
 * of the sites are written, with the number of their networks; it resolves to the new policy file that gets the waivers, if
 * any.
 */
export async function importSites(
  ids: readonly string[],
  options: ImportCommandOptions,
  io: Io,
  writePolicy?: PolicyWriter
): Promise<ExitCode> {
  const problem = envNameProblem(`${options.secretPrefix}A`, options.secretPrefix)
  if (problem !== undefined) throw wrongInput(`invalid --secret-prefix: ${problem}`)
  const policy = ids.length === 0 ? undefined : await policyAround({ ...options, cwd: io.cwd })
  const naming = { ...options, namingOrg: policy?.org }
  return withRequestedSites(ids, naming, 'import', io, (requested, reader) => {
    const found = new Set(selectSites(sitesOf(requested), options).map(({ id }) => id))
    const sites = requested.filter(({ id }) => found.has(id))
    return importRequested(sites, reader, { ...options, writePolicy }, io)
  })
}

type PolicyWriter = (networks: number) => Promise<string | undefined>

async function importRequested(
  requested: readonly RequestedSite[],
  reader: Reader,
  options: ImportCommandOptions & { readonly writePolicy: PolicyWriter | undefined },
  io: Io
): Promise<ExitCode> {
  const target = { ...options, cwd: io.cwd }
  await checkImport(requested, target)
  const { sites, unread } = await readLive(requested, reader, options, io)
  const written = await writeImport(sites, requested, target, io)
  const { files, secrets, findings, waivers, keys, ...layers } = written
  const { findings: ofLinter, ...ofSecrets } = await lintLive(sites, keys)
  const networks = files.reduce((sum, { wlans }) => sum + wlans, 0)
  const policyFile = await options.writePolicy?.(networks)
  const imported: ImportSummary = {
    sites: requested.length,
    sites_failed: unread.length,
    wlans: networks,
    requests: reader.requests,
    files: files.map(file => ({ ...file, file: join(options.out, file.file) })),
    secrets: secrets.map(shownSecret),
    secretValues: secretValues(options),
    ...compact({ dryRun: options.dryRun }),
    ...layers,
    ...(await addWaivers(waivers, policyFile, target))
  }
  const unfit = options.secretsDir === undefined ? [] : unfitSecrets(secrets)
  const all = [...findingsOfImport(sites, unread, secrets), ...unfit, ...findings, ...ofLinter]
  await writeReport({ kind: 'findings', findings: all, ...ofSecrets, imported }, options, io)
  await printRequestSummary({ ...imported, rest: 'in parts' }, options, io, reader)
  return unread.length > 0 ? exit.incomplete : exit.done
}

async function lintLive(sites: readonly ReadSite[], keys: Written['keys']): Promise<LintResult> {
  const { RunLinter } = await import('../../run/checks/run-linter.ts')
  const linter = new RunLinter({}, defaultLintPolicy)
  // The files are written: an interruption ends the run after its report.
  const slice = new TimeSlice()
  for (const { live, wlans } of sites) {
    await slice.pause()
    linter.addImported(
      live,
      wlans.map(wlan => ({ ...wlan, key: keys?.get(wlan.id) ?? wlan.key }))
    )
  }
  return linter.result()
}

interface ReadSite extends ImportedSite {
  readonly live: LiveSite
}

interface Read {
  readonly sites: readonly (RequestedImport & ReadSite)[]
  readonly unread: readonly UnreadSite[]
}

async function readLive(
  requested: readonly RequestedSite[],
  reader: Reader,
  options: ImportCommandOptions,
  io: Io
): Promise<Read> {
  const { parallelism } = options
  const allFields = options.allFields === true
  const selection = new WlanSelection(options.wlan ?? [])
  const visit = (site: Site, all: LiveSite | UnreadSite): ReadSite | UnreadSite => {
    if (!('wlans' in all)) return all
    const live = selection.narrow({ ...site, wlans: [] }, all)
    return { ...importSite(live, allFields), live }
  }
  const reading = { parallelism, visit, stepOf: importStep }
  const read = await readSitesAsTask(reader, sitesOf(requested), reading, runContext(options, io))
  if (read.every(site => 'live' in site)) selection.check()
  return {
    sites: requested.flatMap((each, at) => {
      const site = read[at]
      return site !== undefined && 'live' in site ? [{ ...each, ...site }] : []
    }),
    unread: read.flatMap(site => ('live' in site ? [] : [site]))
  }
}

/** The inherited WLANs of a site do not count: an import contains none. */
function importStep(_: LiveSite, result: ReadSite | UnreadSite): SiteStep {
  return [`${plural('wlans' in result ? result.wlans.length : 0, 'WLAN')} read`]
}

function secretValues({ secretsOut, secretsDir }: ImportCommandOptions): string {
  if (secretsDir !== undefined) {
    return `plan and apply read the values with: --secrets-dir ${quoteForShell(secretsDir)}`
  }
  if (secretsOut !== undefined) {
    const file = isAbsolute(secretsOut) ? secretsOut : `./${secretsOut}`
    return `load the values into a shell with: set -a; . ${quoteForShell(file)}; set +a`
  }
  return 'set these variables: their values are in no file, unless you import with --secrets-out FILE or --secrets-dir DIR'
}

function shownSecret(secret: ImportedSecret): ImportSummary['secrets'][0] {
  const { name, address, pointer, uses } = secret
  return {
    name,
    address,
    pointer,
    ...(uses > 1 && { uses }),
    ...(!secret.secret.known && { hidden: true })
  }
}
