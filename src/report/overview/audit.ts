import { type Audit, isFromSecret, type Outlier } from '../../core/model/audit.ts'
import { dangerOfValue, ruleDangers } from '../../core/model/danger.ts'
import {
  append,
  byCodeUnit,
  compact,
  groupBy,
  groupsBy,
  type NonEmpty,
  present
} from '../../core/values/collections.ts'
import { capitalised, formatNumber, plural } from '../../core/values/text.ts'
import { formatTime } from '../../core/values/time.ts'
import { fleetCommand } from '../fleet-command.ts'
import { code, danger, name, strong, type Text, type Tone } from '../render/document.ts'
import type { RenderOptions } from '../report.ts'
import { unreadSitesText } from '../wording/verdict.ts'
import { auditSections, outlierDetails } from './audit-sections.ts'
import { dangerWords } from './danger-words.ts'
import { EXPLAIN_OPEN, MAX_SELECTED, problemAt, sentenceOf } from './headline.ts'
import type { NetworkState } from './network-states.ts'
import { emptyOverview, type Overview, type Problem, type SiteRow } from './overview.ts'
import { unreadText } from './sections.ts'
import { siteRows } from './sites.ts'
import { byState, countStates, stateRank, tallyStates, worstState, worstTone } from './states.ts'

/** The networks of an audit with one SSID at one site. */
interface Audited {
  readonly site: string
  readonly ssid: string
  readonly count: number
  readonly state: NetworkState
  readonly reason: string | undefined
  readonly isMissing: boolean
}

/**
 * The overview of an audit. Its networks are compared with those of most sites, since nothing is declared. Only a terminal
 * shows where a finding about the value of a secret is.
 */
export function auditOverview(
  audit: Audit,
  isTerminal = false,
  { fleet }: Pick<RenderOptions, 'fleet'> = {}
): Overview {
  const networks = auditedNetworks(audit)
  const counts = tallyStates(networks)
  const { severe, others } = problemsOf(audit, networks, fleet)
  const outliers = audit.outliers.toSorted(
    (a, b) => stateRank(outlierState(a)) - stateRank(outlierState(b))
  )
  return {
    ...emptyOverview,
    kind: 'audit',
    tone: toneOf(audit, counts),
    headline: headlineOf(audit, severe.length > 0 ? severe : others.slice(0, 1)),
    verdict: verdictOf(audit),
    incomplete: unreadSitesText(audit.unread.length),
    totals: totalsOf(audit, networks.filter(({ isMissing }) => isMissing).length),
    states: countStates('audit', counts),
    first: [...severe, ...others].slice(0, 4),
    sites: sitesOf(audit, networks),
    sections: auditSections({ ...audit, outliers }, isTerminal),
    ...compact({ unread: unreadText(audit.unread) }),
    ...originOf(audit)
  }
}

/** Each live network with its state, and those that are missing where most sites have them. */
function auditedNetworks({ networks, outliers, rules }: Audit): Audited[] {
  const found = new Map<
    string,
    { count: number; states: NetworkState[]; reasons: string[]; isMissing: boolean }
  >()
  const at = (site: string, ssid: string) => {
    const key = JSON.stringify([site, ssid])
    const known = found.get(key) ?? { count: 0, states: [], reasons: [], isMissing: false }
    found.set(key, known)
    return known
  }
  for (const { ssid, variants } of networks) {
    for (const site of variants.flatMap(({ sites }) => sites)) at(site, ssid).count += 1
  }
  for (const outlier of outliers.filter(each => !isFromSecret(each))) {
    const isMissing = outlier.differences.some(({ kind }) => kind === 'missing')
    for (const site of new Set(outlier.sites)) {
      const entry = at(site, outlier.ssid)
      if (isMissing) Object.assign(entry, { count: 1, isMissing })
      entry.states.push(outlierState(outlier))
      append(entry.reasons, outlierDetails(outlier))
    }
  }
  for (const broken of rules.filter(({ fromSecret, level }) => !fromSecret && level !== 'info')) {
    for (const { site, wlan, level } of broken.findings) {
      const entry = wlan === undefined ? undefined : found.get(JSON.stringify([site, wlan]))
      if (entry === undefined || level === 'info') continue
      entry.states.push(stateOf(broken.rule.id, level))
      entry.reasons.push(broken.rule.title)
    }
  }
  return [...found].map(([key, { count, states, reasons, isMissing }]) => {
    const [site, ssid] = JSON.parse(key) as [string, string]
    return { site, ssid, count, state: worstState(states), reason: reasons[0], isMissing }
  })
}

function stateOf(rule: string, level: 'error' | 'warning'): NetworkState {
  const danger = ruleDangers[rule]
  if (danger !== undefined) return dangerWords[danger].state
  return level === 'error' ? 'less-secure' : 'differs'
}

function outlierState({ differences }: Outlier): NetworkState {
  return worstState([
    'differs',
    ...differences.flatMap((each): NetworkState[] => {
      if (each.kind === 'missing') return ['off']
      const danger = each.kind === 'value' && dangerOfValue(each.field, each.value)
      return danger ? [dangerWords[danger].state] : []
    })
  ])
}

function toneOf(
  { counts: levels, unread }: Audit,
  counts: ReadonlyMap<NetworkState, number>
): Tone {
  if (levels.error > 0 || unread.length > 0) return 'bad'
  return worstTone(counts, levels.warning > 0 || counts.has('differs') ? 'warn' : 'good')
}

/** The worst networks, or else what is worst; otherwise that all is well. */
function headlineOf({ sites, unread }: Audit, problems: readonly Problem[]): Text {
  if (problems.length > 0) return sentenceOf(problems)
  return sites.length === 0 && unread.length > 0
    ? [`None of ${plural(unread.length, 'site')} could be read, so nothing was checked`]
    : [`No error and no warning at ${plural(sites.length, 'site')}`]
}

/** The networks in these states by SSID and state, worst first, then at the most sites. */
function groupsIn(networks: readonly Audited[], ...states: readonly NetworkState[]) {
  const some = networks.filter(({ state }) => states.includes(state))
  return groupsBy(some, ({ ssid, state }) => JSON.stringify([ssid, state]))
    .map(same => ({
      ...same[0],
      verb: verbOf(same),
      sites: same.map(({ site }) => site).sort(byCodeUnit)
    }))
    .sort((a, b) => byState(a, b) || b.sites.length - a.sites.length)
}

function verbOf(networks: NonEmpty<Audited>): string {
  const [{ state }] = networks
  if (state === 'less-secure') return ' is less secure'
  if (state === 'differs') return ' differs from most sites'
  if (state === 'open') return ' is open'
  if (networks.every(({ isMissing }) => isMissing)) return ' is missing'
  return networks.some(({ isMissing }) => isMissing) ? ' is off or missing' : ' is off'
}

/** The networks that are off or open, and the broken rules, or without any what else differs. */
function problemsOf(audit: Audit, networks: readonly Audited[], fleet?: string) {
  const problemsIn = (...states: readonly NetworkState[]) =>
    groupsIn(networks, ...states).map(({ ssid, state, sites, verb }) => {
      const command = commandAt(sites, state, fleet)
      return problemAt(state, [name(ssid), verb], sites, compact({ command }))
    })
  const keyOf = (site: string, wlan?: string) => JSON.stringify([site, wlan])
  const weak = networks.filter(({ state }) => state === 'less-secure')
  const lessSecure = new Set(weak.map(({ site, ssid }) => keyOf(site, ssid)))
  // Of an open network, that comes first, and what else a rule says of it comes with it.
  const open = networks.filter(({ state }) => state === 'open')
  const areSaid = new Set(open.map(({ site, ssid }) => keyOf(site, ssid)))
  const broken = audit.rules.flatMap(({ rule, level, fromSecret, findings }): Problem[] => {
    const others = findings.filter(({ site, wlan }) => !areSaid.has(keyOf(site, wlan)))
    if (level === 'info' || others.length === 0) return []
    const names = [...new Set(others.map(({ site }) => site))].sort(byCodeUnit)
    const isWeak = others.some(({ site, wlan }) => lessSecure.has(keyOf(site, wlan)))
    return [
      {
        state: level === 'error' || isWeak ? 'less-secure' : 'differs',
        text: [`${capitalised(rule.title)} at ${plural(names.length, 'site')}`],
        ...(fromSecret
          ? { sites: [], count: 0 }
          : { sites: names.slice(0, 3), count: names.length }),
        command: `wlanctl explain ${rule.id}`
      }
    ]
  })
  return {
    // An open network comes before one that is off.
    severe: [...problemsIn('open'), ...problemsIn('off')],
    others: broken.length > 0 ? broken : problemsIn('less-secure', 'differs')
  }
}

/** What shows where these sites differ from their declaration, or explains an open network; absent for too many. */
function commandAt(
  sites: readonly string[],
  state: NetworkState,
  fleet?: string
): string | undefined {
  if (fleet === undefined) return state === 'open' ? EXPLAIN_OPEN : undefined
  if (sites.length > MAX_SELECTED) return undefined
  return fleetCommand({ fleet })('drift', ...sites.flatMap(site => ['--site', site]))
}

function verdictOf({ counts, outliers, sites, unread, rules }: Audit): Text {
  const all = plural(sites.length, 'site')
  if (sites.length === 0 && unread.length > 0) return [danger('Audit: nothing was checked')]
  const numbers = { error: counts.error, warning: counts.warning, outlier: outliers.length }
  const parts = Object.entries(numbers).flatMap(([noun, n]) => (n === 0 ? [] : plural(n, noun)))
  const list = present(parts.slice(0, -1).join(', '), ...parts.slice(-1))
  const broken = rules.flatMap(({ findings }) => findings.filter(({ level }) => level !== 'info'))
  const affected = new Set([
    ...broken.map(({ site }) => site),
    ...outliers.flatMap(each => each.sites)
  ])
  const found =
    parts.length === 0
      ? `No error and no warning at ${all}`
      : `${list.join(' and ')} at ${formatNumber(affected.size)} of ${all}`
  return [strong(`Audit: ${found}`)]
}

/** `missing`: networks that most other sites have, which have a state, too. */
function totalsOf({ wlans, sites, counts, snapshot, requests }: Audit, missing: number): string {
  return present(
    `${plural(wlans, 'network')} at ${plural(sites.length, 'site')}`,
    missing > 0 && `${formatNumber(missing)} missing`,
    counts.info > 0 && plural(counts.info, 'note'),
    snapshot === undefined ? plural(requests, 'request') : `snapshot of ${snapshot}`
  ).join(', ')
}

function originOf({ baseUrl, created, snapshot }: Audit): Pick<Overview, 'origin' | 'made'> {
  const time = created ?? snapshot
  if (time === undefined) return {}
  const what = created ? 'Read ' : 'Snapshot of '
  const origin = [what, code(formatTime(time)), ' from ', code(baseUrl)]
  return { origin, made: formatTime(time) }
}

function sitesOf({ unread, groups }: Audit, networks: readonly Audited[]): SiteRow[] {
  const isClean = ({ state }: Audited) => state === 'as-declared'
  const rows = networks.flatMap(each => {
    const { site, ssid, state, reason } = each
    if (isClean(each)) return []
    const about = { address: `${site}/${ssid}`, key: ssid, name: ssid, state, commands: [] }
    return [{ site, row: { ...about, ...compact({ reason }) } }]
  })
  const clean = groupBy(networks.filter(isClean), ({ site }) => site)
  const reasons = new Map(unread.map(({ site, reason }) => [site, reason]))
  return siteRows(
    rows,
    site => {
      const reason = reasons.get(site)
      const found = clean.get(site) ?? []
      return compact({
        group: groups?.get(site),
        reason,
        clean: reason === undefined ? found.reduce((sum, { count }) => sum + count, 0) : undefined
      })
    },
    [...networks.map(({ site }) => site), ...reasons.keys()]
  )
}
