import { Argument, Option } from 'commander'
import { newlyBroken } from '../../core/audit/auditor.ts'
import type { EstateDiff, EstateState } from '../../core/model/estate-diff.ts'
import { type ExitCode, exit, worst, wrongInput } from '../../core/model/failure.ts'
import type { LiveSite, UnreadSite } from '../../core/model/live.ts'
import { tool } from '../../core/model/tool.ts'
import { diffOf, sitesById } from '../../core/plan/estate-diff.ts'
import { matchesGlobs } from '../../core/values/glob.ts'
import { formatTimestamp } from '../../core/values/time.ts'
import { refuseOtherService } from '../../files/saved-file.ts'
import {
  refuseOtherOrganization,
  type Snapshot,
  sitesIn,
  takeSnapshot
} from '../../files/snapshot.ts'
import { Findings } from '../../fleet/findings.ts'
import { checkWlanGlobs, isWlan } from '../../fleet/select.ts'
import { diffFormats } from '../../report/estate-diff.ts'
import type { NextStep } from '../../report/report.ts'
import { readSitesAsTask } from '../../run/read-sites.ts'
import type { CommandRow } from '../command.ts'
import { addressOf, withReader } from '../connect.ts'
import { readState, readStates, type StatePair } from '../files/states.ts'
import { refuseFirst, selectSites } from '../import/live-sites.ts'
import { repeatable } from '../option-values.ts'
import { groups, optionSets, type ReadingOptions, under } from '../options.ts'
import { writeFormats } from '../output.ts'
import type { Io } from '../terminal/io.ts'
import { printNextSteps, sameSelection } from '../terminal/next-steps.ts'
import { runContext } from '../terminal/progress.ts'

interface Options extends ReadingOptions {
  readonly out?: string
}

const LIVE = 'live'

export const command: CommandRow = {
  arguments: [
    new Argument('<before>', 'a snapshot file, or a snapshot folder'),
    new Argument('[after]', 'the same; without it, the live service')
  ],
  options: [
    optionSets.report,
    under(
      groups.output,
      new Option('--out <file>', 'write the result to a file instead of printing it')
    ),
    optionSets.sites,
    optionSets.shard,
    under(
      groups.selection,
      repeatable('--wlan <glob>', 'only networks with a matching SSID or address; repeatable')
    ),
    optionSets.service
  ],
  notes: 'Exit codes: 0 if the states are equal, 2 if they differ, 5 if a site was not read.',
  examples: ['wlanctl diff friday.json'],
  run: ({ io }, before: string, after: string | undefined, options: Options) =>
    diff(before, after, options, io)
}

async function diff(
  before: string,
  after: string | undefined,
  options: Options,
  io: Io
): Promise<ExitCode> {
  const { site, excludeSite = [], wlan, shard } = options
  const isNarrowed = [...site, ...excludeSite, ...wlan].length > 0 || shard !== undefined
  const pair =
    after === undefined
      ? await withLive(before, options, io)
      : await readStates([before, after], isNarrowed, io)
  const [was, is] = [stateOf(before, pair.before), stateOf(after ?? LIVE, pair.after)]
  refuseOthers(pair, was, is)
  const isSite = siteFilter([was, is], options)
  const narrow = (state: EstateState): EstateState => ({
    ...state,
    sites: state.sites.filter(isSite),
    unread: state.unread.filter(isSite)
  })
  const found = narrowed(diffOf(narrow(was), narrow(is), pair.equal), options)
  const { changes, appeared, disappeared } = found
  const isRestorable = changes.some(({ kind }) => kind === 'changed')
  const restore = sameSelection('revert', options, '--to', before, '--dry-run')
  const steps: NextStep[] = isRestorable
    ? [[restore, 'shows a plan that restores the earlier state, in the folder of the fleet']]
    : []
  await writeFormats(diffFormats, found, { next: steps }, options, io, options.out)
  if (options.out === undefined) await printNextSteps(steps, options, io)
  return worst(
    changes.length + appeared.length + disappeared.length > 0 ? exit.changes : exit.done,
    found.unread.length > 0 ? exit.incomplete : exit.done
  )
}

async function withLive(name: string, options: Options, io: Io): Promise<StatePair> {
  const before = await readState(name, io)
  const baseUrl = addressOf(options)
  refuseOtherService(name, before.base_url, baseUrl, 'compare states of one service')
  const isSite = siteFilter([stateOf(name, before)], options)
  const sites = before.sites.filter(site => isSite({ site }))
  const { parallelism } = options
  return withReader(options, io, undefined, async reader => {
    const visit = (_: unknown, live: LiveSite | UnreadSite) => live
    const read = await readSitesAsTask(
      reader,
      sites,
      { parallelism, visit },
      runContext(options, io)
    )
    const created = formatTimestamp(io.now())
    const context = { tool: tool.name, created, base_url: baseUrl, requests: reader.requests }
    return { before, after: takeSnapshot(read, context), equal: 0 }
  })
}

function stateOf(name: string, snapshot: Snapshot): EstateState {
  const { created, sites, unread, shard } = snapshot
  const read = sitesIn(snapshot)
  return {
    name,
    created,
    sites: sites.map(site => read(site)).filter(live => 'wlans' in live),
    unread: unread.map(({ id, name: site, reason }) => ({ site: { id, name: site }, reason })),
    isWhole: shard === undefined
  }
}

/** Throws a `Failure` (exit 3) for states of two services or organizations. */
function refuseOthers({ before, after }: StatePair, was: EstateState, is: EstateState): void {
  if (before.base_url !== after.base_url) {
    throw wrongInput(
      `${was.name} is about ${before.base_url}, and ${is.name} about ${after.base_url}`,
      'compare states of one service'
    )
  }
  const earlier = sitesById(was.sites)
  const common = is.sites.flatMap(live => {
    const before = earlier.get(live.site.id.toLowerCase())
    return before === undefined ? [] : [[before, live] as const]
  })
  const [one, other] = [was.sites[0], is.sites[0]]
  const pairs = common.length === 0 && one && other ? [[one, other] as const] : common
  for (const [before, live] of pairs) refuseOtherOrganization(is.name, before, live)
}

/** True for the sites that `--site` selects in a state. Throws a `Failure` (exit 3) for a glob without a match. */
function siteFilter(
  states: readonly EstateState[],
  options: Options
): (live: Pick<LiveSite, 'site'>) => boolean {
  const sites = states.flatMap(state => [...state.sites, ...state.unread]).map(live => live.site)
  const ids = new Set(selectSites(sites, options).map(({ id }) => id.toLowerCase()))
  return live => ids.has(live.site.id.toLowerCase())
}

/** The diff of the networks that `--wlan` selects. Throws a `Failure` (exit 3) for a glob without a match. */
function narrowed(found: Omit<EstateDiff, 'rules'>, { wlan: globs }: Options): EstateDiff {
  const all = found.states.flatMap(({ sites }) =>
    sites.flatMap(({ site, wlans }) =>
      wlans.map(({ ssid }) => ({ key: ssid, address: `${site.name}/${ssid}` }))
    )
  )
  const findings = new Findings()
  checkWlanGlobs(all, globs, findings)
  refuseFirst(findings)
  const isWanted = (key: string, address: string) =>
    matchesGlobs(globs, glob => isWlan({ key, address }, glob))
  const changes = found.changes.filter(({ wlan, address }) => isWanted(wlan.ssid, address))
  const ids = new Set(changes.map(({ site }) => site.id.toLowerCase()))
  const changed = ({ sites }: EstateState) =>
    sites.filter(({ site }) => ids.has(site.id.toLowerCase()))
  const [before, after] = found.states
  const rules = newlyBroken(
    changed(before),
    changed(after),
    ({ site, wlan }) => wlan === undefined || isWanted(wlan, `${site}/${wlan}`)
  )
  return { ...found, changes, rules }
}
