import { Argument, Option } from 'commander'
import { Auditor } from '../../core/audit/auditor.ts'
import type { Audit } from '../../core/model/audit.ts'
import { type DesiredSite, groupsOfSites } from '../../core/model/desired.ts'
import { type ExitCode, exit, worst, wrongInput } from '../../core/model/failure.ts'
import type { LiveSite, UnreadSite } from '../../core/model/live.ts'
import { compact } from '../../core/values/collections.ts'
import { formatTimestamp } from '../../core/values/time.ts'
import { isUuid } from '../../core/values/uuid.ts'
import type { SecretOptions } from '../../fleet/secrets/source.ts'
import { auditFormats } from '../../report/audit.ts'
import type { NextStep, RenderOptions } from '../../report/report.ts'
import type { CommandRow } from '../command.ts'
import { declaredSiteIds } from '../files/declared-sites.ts'
import { type LiveSites, WlanSelection, withLiveSites } from '../import/live-sites.ts'
import { fromOption, orgOption, type SiteListOptions } from '../import/requested-sites.ts'
import { loadDesired } from '../load-desired.ts'
import { groups, optionSets, type ReadingOptions, under } from '../options.ts'
import { writeFormats } from '../output.ts'
import { type Io, quoteForShell } from '../terminal/io.ts'
import { printNextSteps, sameSelection } from '../terminal/next-steps.ts'
import { printRequestSummary } from '../terminal/request-summary.ts'

type Options = ReadingOptions &
  SiteListOptions &
  Pick<SecretOptions, 'secretPrefix'> & { readonly against?: string }

export const command: CommandRow = {
  arguments: [
    new Argument(
      '[site-id...]',
      'the sites to read; or a fleet, to compare its sites within their groups'
    )
  ],
  options: [
    optionSets.service,
    optionSets.secretPrefix,
    optionSets.report,
    optionSets.part,
    under(
      groups.selection,
      fromOption(),
      orgOption(),
      new Option(
        '--against <state>',
        'audit a snapshot: its file or its folder; needs no network or token'
      ).conflicts(['from', 'org'])
    )
  ],
  notes: `Exit codes: 0 without an error, a warning or an outlier, 2 with one,
5 if a site could not be read.`,
  examples: [
    'wlanctl audit 4ac1dcf4-9d8b-4211-95c4-057819f0862b --report html=audit.html',
    'wlanctl audit examples/quickstart'
  ],
  run: ({ io }, args: string[], options: Options) => audit(args, options, io)
}

/** Makes one list request for each live site, or reads a snapshot; sends no update. */
async function audit(args: readonly string[], options: Options, io: Io): Promise<ExitCode> {
  const fleet = fleetIn(args, options)
  const selected = { ...options, wlan: [] }
  const desired = fleet === undefined ? undefined : await loadDesired(fleet, selected, io)
  const ids = fleet === undefined ? args : []
  return withLiveSites({ desired, ids, verb: 'audit' }, options, io, async live => {
    const next = await stepsAfter(fleet, ids, live.sites, options, io)
    const about = { next, ...(fleet !== undefined && { fleet }) }
    const code = await auditSites(live, about, options, io)
    await printNextSteps(next, options, io)
    return code
  })
}

const MAX_IMPORTED = 20

async function stepsAfter(
  fleet: string | undefined,
  ids: readonly string[],
  sites: readonly DesiredSite[],
  options: Options,
  { cwd }: Io
): Promise<NextStep[]> {
  const { site, excludeSite = [], wlan, shard, changedSince, against, from, org } = options
  if (against !== undefined) return []
  if (fleet !== undefined) {
    const part = compact({ site, excludeSite, wlan, shard, changedSince })
    return [[sameSelection('drift', { fleet, ...part }), 'shows where they differ from the files']]
  }
  const declared = await declaredSiteIds({ out: 'sites', cwd })
  const others = sites.filter(({ id }) => !declared.has(id.toLowerCase()))
  if (others.length === 0) return [['wlanctl drift', 'shows where they differ from the files']]
  const importOf = (words: readonly string[]) =>
    ['wlanctl import', ...words.map(quoteForShell)].join(' ')
  if (others.length < sites.length) {
    const some = others.slice(0, MAX_IMPORTED).map(({ id }) => id)
    return [[importOf(some), 'declares sites that no file declares']]
  }
  // `import` would take all of the sites.
  if (site.length + excludeSite.length + wlan.length > 0 || shard !== undefined) return []
  const words = [...ids, ...(from ? ['--from', from] : []), ...(org ? ['--org', org] : [])]
  return [[importOf(words), 'declares these networks as YAML']]
}

/** The fleet that the arguments name; it excludes other sites, and so does a snapshot. */
function fleetIn(args: readonly string[], { from, org, against }: Options): string | undefined {
  const [fleet, ...others] = args
  const isAlone = from === undefined && org === undefined && others.length === 0
  if (fleet !== undefined && isAlone && !isUuid(fleet)) return fleet
  if (against === undefined || args.length === 0) return undefined
  const hint = 'give a fleet, or nothing for all sites of the snapshot'
  throw wrongInput('expected no site id with --against', hint)
}

async function auditSites(
  { sites, read, origin }: LiveSites,
  about: Pick<RenderOptions, 'fleet' | 'next'>,
  options: Options,
  io: Io
): Promise<ExitCode> {
  const auditor = new Auditor()
  const selection = new WlanSelection(options.wlan)
  const unread: UnreadSite[] = []
  const early = new Map<DesiredSite, LiveSite | UnreadSite>()
  let taken = 0
  // Responses come in any order; the audit takes the sites in theirs.
  await read((site, live) => {
    early.set(site, live)
    for (let next = sites[taken]; next !== undefined; next = sites[taken]) {
      const ready = early.get(next)
      if (ready === undefined) return
      early.delete(next)
      taken += 1
      if ('wlans' in ready) auditor.add(selection.narrow(next, ready), next.groups)
      else unread.push(ready)
    }
  })
  if (unread.length === 0) selection.check()
  const isSnapshot = 'created' in origin
  const from = isSnapshot
    ? { baseUrl: origin.base_url, requests: 0, snapshot: origin.created }
    : { baseUrl: origin.baseUrl, requests: origin.requests, created: formatTimestamp(new Date()) }
  const result = { ...auditor.result({ ...from, unread }), groups: groupsOfSites(sites) }
  await writeFormats(auditFormats, result, about, options, io)
  if (!isSnapshot) {
    const { requests } = origin
    const work = { sites: sites.length, sites_failed: unread.length, requests }
    await printRequestSummary({ ...work, rest: 'in parts' }, options, io, origin)
  }
  return auditExit(result)
}

function auditExit({ counts, outliers, unread }: Audit): ExitCode {
  return worst(
    counts.error + counts.warning + outliers.length > 0 ? exit.changes : exit.done,
    unread.length > 0 ? exit.incomplete : exit.done
  )
}
