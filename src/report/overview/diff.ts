import { type DangerKind, dangerRank } from '../../core/model/danger.ts'
import type { Site } from '../../core/model/desired.ts'
import type { EstateDiff, EstateState, StateChange } from '../../core/model/estate-diff.ts'
import { byCodeUnit, compact, groupsBy } from '../../core/values/collections.ts'
import { formatNumber, plural } from '../../core/values/text.ts'
import { formatTime } from '../../core/values/time.ts'
import {
  code,
  listText,
  name,
  type Section,
  strong,
  type TableRow,
  type Text
} from '../render/document.ts'
import { unreadSitesText } from '../wording/verdict.ts'
import { ruleRow } from './audit-sections.ts'
import { groupChanges } from './changes.ts'
import { dangerWords } from './danger-words.ts'
import { problemAt, sentenceOf, troublesOf } from './headline.ts'
import type { NetworkState } from './network-states.ts'
import {
  type ChangeGroup,
  emptyOverview,
  type Overview,
  type Problem,
  type SiteRow
} from './overview.ts'
import { namesText, nameTexts, notReadSection, row, section, unreadText } from './sections.ts'
import { changedRows, siteRows } from './sites.ts'
import { countStates, tallyStates, worstTone } from './states.ts'

type Changed = Extract<StateChange, { kind: 'changed' }>
type Whole = Exclude<StateChange, Changed>

/** The overview of the differences between two states of an estate: what edits did to networks and people. */
export function diffOverview(diff: EstateDiff): Overview {
  const changed = diff.changes.filter(change => change.kind === 'changed')
  const whole = diff.changes.filter(change => change.kind !== 'changed')
  const groups = groupChanges('diff', changed)
  const sites = changedSites(groups, whole, diff.unread)
  const counts = tallyStates(sites.flatMap(({ networks }) => networks))
  const problems = [...groupProblems(groups), ...wholeProblems(whole)]
    .sort(
      ([danger, { count }], [other, { count: more }]) =>
        dangerRank(danger) - dangerRank(other) || more - count
    )
    .map(([, problem]) => problem)
  const rules = { id: 'rules', count: diff.rules.length, tone: 'warn' } as const
  const tone = diff.unread.length > 0 ? 'bad' : diff.rules.length > 0 ? 'warn' : 'good'
  return {
    ...emptyOverview,
    kind: 'diff',
    tone: worstTone(counts, tone),
    headline: headlineOf(diff, problems),
    ...verdictOf(diff),
    coverage: coverageOf(diff),
    // The headline of a diff without a change says it.
    ...compact({ unread: diff.changes.length === 0 ? undefined : unreadText(diff.unread) }),
    states: countStates('diff', counts),
    first: problems.slice(0, 4),
    changes: groups,
    sites,
    sections: [
      ...wholeSection('disappeared', 'Disappeared', ofKind(whole, 'removed')),
      ...wholeSection('appeared', 'Appeared', ofKind(whole, 'added')),
      ...section(
        { ...rules, title: 'Newly broken rules', noun: 'rule' },
        ['Level', 'Problem', 'Where'],
        diff.rules.map(rule => ruleRow(rule, true))
      ),
      ...notReadSection(diff.unread.map(({ site, reason }) => ({ site: site.name, reason })))
    ]
  }
}

function ofKind(whole: readonly Whole[], kind: Whole['kind']): Whole[] {
  return whole.filter(each => each.kind === kind)
}

function headlineOf({ changes, unread }: EstateDiff, problems: readonly Problem[]): Text {
  if (changes.length === 0 && unread.length > 0)
    return [`${plural(unread.length, 'site')} could not be read, and no other network differs`]
  if (changes.length === 0) return ['No network differs']
  if (problems.length > 0) return sentenceOf(problems)
  return [
    `${plural(changes.length, 'network')} at ${plural(sitesOf(changes).length, 'site')} changed`
  ]
}

function verdictOf({ changes, compared, appeared, disappeared, unread, states }: EstateDiff) {
  const [before, after] = states
  const count = compared + appeared.length + disappeared.length
  const all = plural(count, 'site')
  const verbs = { changed: 'changed', added: 'appeared', removed: 'disappeared' }
  const parts = Object.entries(verbs).flatMap(([kind, verb]) => {
    const { length } = changes.filter(change => change.kind === kind)
    return length === 0 ? [] : `${plural(length, 'network')} ${verb}`
  })
  const result =
    parts.length === 0
      ? `Diff: ${count === 0 && unread.length > 0 ? 'Nothing was compared' : `No network differs at ${all}`}`
      : `Diff: ${parts.join(', ')}, at ${formatNumber(sitesOf(changes).length)} of ${all}`
  return {
    incomplete: unreadSitesText(unread.length),
    verdict: [strong(result), ', from ', ...stateText(before), ' to ', ...stateText(after)]
  }
}

function stateText({ name: state, created }: EstateState): Text {
  return [code(state), ` (${formatTime(created)})`]
}

function coverageOf({ appeared, disappeared, renamed }: EstateDiff): Text[] {
  const listed = (what: string, all: readonly Text[]): Text[] =>
    all.length === 0
      ? []
      : [[`${plural(all.length, 'site')} ${what}: `, ...listText(all, MAX_NAMES)]]
  const named = (sites: readonly Site[]) => nameTexts(sites.map(site => site.name))
  const names = renamed.map(
    ({ before, after }): Text => [name(before), ' is ', name(after), ' now']
  )
  return [
    ...listed('disappeared', named(disappeared)),
    ...listed('appeared', named(appeared)),
    ...listed(names.length === 1 ? 'has another name' : 'have other names', names)
  ]
}

const MAX_NAMES = 5

type Ranked = readonly [danger: DangerKind, problem: Problem]

function groupProblems(groups: readonly ChangeGroup[]): Ranked[] {
  return troublesOf(groups).flatMap(({ state, danger, name: network, sites, effect }): Ranked[] => {
    if (danger === undefined) return []
    const text = [network, dangerWords[danger].verbs.diff]
    return [[danger, problemAt(state, text, sites, compact({ effect }))]]
  })
}

function sitesOf(changes: readonly { readonly site: { readonly name: string } }[]): string[] {
  return [...new Set(changes.map(({ site }) => site.name))].sort(byCodeUnit)
}

function wholeProblems(whole: readonly Whole[]): Ranked[] {
  const severe = whole.filter(each => wholeState(each) !== 'differs')
  return groupsBy(severe, ({ kind, wlan }) => JSON.stringify([kind, wlan.ssid])).map(group => {
    const [{ kind, wlan }] = group
    const [network, sites] = [name(wlan.ssid), sitesOf(group)]
    const effect = ['clients lost this network']
    return kind === 'removed'
      ? ['off', problemAt('off', [network, ' disappeared'], sites, { effect })]
      : ['open', problemAt('open', [network, ' appeared, open,'], sites)]
  })
}

function wholeState({ kind, isOpen }: Whole): NetworkState {
  return kind === 'removed' ? 'off' : isOpen ? 'open' : 'differs'
}

function wholeSection(id: string, title: string, whole: readonly Whole[]): Section[] {
  const groups = groupsBy(whole, ({ wlan, network }) => JSON.stringify([wlan.ssid, network]))
  const rows = groups.map((group): TableRow => {
    const [{ wlan, network }] = group
    const where = namesText(
      group.map(({ site }) => site.name),
      'site'
    )
    return { ...row(where, [name(wlan.ssid)], [code(network)]), weight: group.length }
  })
  const about = { id, title, count: whole.length, noun: 'network' }
  return section(about, ['Where', 'Network', 'Details'], rows)
}

function changedSites(
  groups: readonly ChangeGroup[],
  whole: readonly Whole[],
  unread: EstateDiff['unread']
): SiteRow[] {
  const reasons = new Map(unread.map(({ site, reason }) => [site.name, reason]))
  const rows = [
    ...changedRows(groups),
    ...whole.map(change => ({
      site: change.site.name,
      row: {
        address: change.address,
        key: change.wlan.ssid,
        name: change.wlan.ssid,
        state: wholeState(change),
        reason: `${change.kind === 'added' ? 'appeared' : 'disappeared'}: ${change.network}`,
        commands: []
      }
    }))
  ]
  return siteRows(rows, name => compact({ reason: reasons.get(name) }), reasons.keys())
}
