import type { TimelineEvent } from '../../core/model/record.ts'
import { groupBy, groupsBy, type NonEmpty, present } from '../../core/values/collections.ts'
import { formatNumber, plural } from '../../core/values/text.ts'
import { formatTime, formatTimeOfDay } from '../../core/values/time.ts'
import { stillLabel } from '../overview/danger-words.ts'
import type { NetworkState } from '../overview/network-states.ts'
import {
  type ChangeGroup,
  isPlan,
  type NetworkRow,
  type Overview,
  type SiteRow
} from '../overview/overview.ts'
import { stateLabel, stateRank } from '../overview/states.ts'
import { shortenIds } from '../wording/message.ts'
import { commandLine, fold, foldedRows, type PageSection, placeLink } from './blocks.ts'
import { changeDetails } from './changes.ts'
import { html, joined, type Markup, type Part } from './markup.ts'
import { swatch } from './states.ts'
import {
  type AlikeRow,
  alikeNetwork,
  type Context,
  isOfMany,
  type Targets,
  targetId,
  tokens
} from './targets.ts'

const MIN_SMALL = 500

/** More groups would take more room than the squares of all sites together. */
const MAX_GROUPS = 20

const IN_LINE = 3

/**
 * The number of networks with their fields and commands; others have a link to their group of changes, so that the file
 * stays small, as do those that share it with many.
 */
const MAX_DETAILED = 500

/** All sites: a square each, and lists that open. None if the overview has no sites. */
export function sitesSections(context: Context): PageSection[] {
  const { kind, sites } = context.overview
  if (sites.length === 0) return []
  const clean = sites.filter(isClean)
  const others = sites.filter(site => !isClean(site))
  const rest = others.filter(site => alikeNetwork(site) === undefined)
  const alike = groupsBy(others.flatMap(alikeSites), ({ row }) => context.targets.idOf(row.change))
  const own = rest.flatMap(({ networks }) => networks.filter(({ change }) => !isOfMany(change)))
  const detailed = new Set(own.slice(0, MAX_DETAILED))
  const rows = rest.map(site => siteItem(site, detailed, context))
  const like = kind === 'audit' ? 'without differences' : stateLabel(kind, 'as-declared')
  const body = [
    others.length > 0 && searchForm(),
    squares(context),
    foldedRows(rows, 'more site'),
    alike.map(same => alikeArticle(same, context)),
    clean.length > 0 &&
      fold(
        `${plural(clean.length, 'site')} ${like}`,
        html`<ul class="inline">${clean.map(site => cleanSite(site, context))}</ul>`
      )
  ]
  return [{ id: 'sites', title: titleOf(context.overview), count: sites.length, body }]
}

/** Hidden until the script runs: without it, it has no effect. */
function searchForm(): Markup {
  return html`
    <search hidden>
      <input id="q" type="search" aria-label="Search" autocomplete="off" spellcheck="false"
        placeholder="Search:  lakeside  s:off  field:vlan_id">
      <button type="button" id="link">Copy link</button>
      <button type="button" id="csv">Download CSV</button>
      <p id="count" class="faint" role="status"></p>
    </search>`
}

/** A saved plan, a record and a diff know nothing of the sites as declared. */
function titleOf(overview: Overview): string {
  const { sites } = overview
  if (sites.some(({ clean }) => clean !== undefined)) return 'All sites'
  if (isPlan(overview)) return 'Sites to change or check'
  return sites.some(({ reason }) => reason !== undefined)
    ? 'Sites that changed or were not read'
    : 'Changed sites'
}

/** A square for each site in groups, the worst first, waves in their order; a group without a problem is one line. */
function squares({ overview, targets }: Context): Markup {
  const { kind, sites, waves = [] } = overview
  const size = sites.length < MIN_SMALL ? 'squares' : 'squares many'
  const rank = (group: string) => {
    if (waves.includes(group)) return waves.indexOf(group)
    return group === '' ? waves.length + 1 : waves.length
  }
  const all = groupBy(sites, ({ group }) => group)
  const byGroup: [string, readonly SiteRow[]][] = all.size <= MAX_GROUPS ? [...all] : [['', sites]]
  byGroup.sort(([a], [b]) => rank(a) - rank(b))
  const groups = byGroup.map(([title, members]) => {
    const bad = members.filter(isBad).length
    const rest = byGroup.length > 1 ? 'Other sites' : 'Sites'
    const need = isPlan(overview) ? 'to change or check' : `need${bad === 1 ? 's' : ''} attention`
    const sum = bad > 0 ? `, ${formatNumber(bad)} ${need}` : ', all well'
    const areClean = members.every(isClean)
    return html`
      <div class="group">
        <div><b>${title || rest}</b> <span class="faint">${formatNumber(members.length)}${kind !== 'diff' && sum}</span></div>
        ${!areClean && html`<div class="${size}">${members.map(site => square(kind, site, targets))}</div>`}
      </div>`
  })
  return html`
    <div id="squares" role="group" aria-label="Sites by state">${groups}</div>
    ${!sites.every(isClean) && html`<p id="readout" class="faint"></p>`}`
}

function isClean({ state, networks }: SiteRow): boolean {
  return networks.length === 0 && state === 'as-declared'
}

/** True for a state that asks for something: not for what waits, was applied or is as declared. */
function isBad({ state }: SiteRow): boolean {
  return stateRank(state) < stateRank('waiting')
}

/** The script makes all squares one tab stop; without it, the list has the same links. */
function square(kind: Overview['kind'], { name, state }: SiteRow, targets: Targets): Markup {
  const text = `${name}: ${stateLabel(kind, state)}`
  return html`<a class="s ${state}" href="#${targets.idOf(name)}" tabindex="-1" title="${text}"></a>`
}

function cleanSite(site: SiteRow, context: Context): Markup {
  return html`<li id="${targetId(site.name)}" data-t="${siteTokens(site, context)}">${site.name}</li>`
}

interface AlikeSite {
  readonly site: SiteRow
  readonly row: AlikeRow
}

function alikeSites(site: SiteRow): AlikeSite[] {
  const row = alikeNetwork(site)
  return row === undefined ? [] : [{ site, row }]
}

/** The sites at which one network changes in the same way, and nothing else does. */
function alikeArticle(same: NonEmpty<AlikeSite>, context: Context): Markup {
  const [{ row }] = same
  const { key, name, state, change } = row
  const label = networkLabel(row, context)
  const files = new Set(same.map(each => each.row.network?.origin?.file))
  const [file] = files.size === 1 ? files : []
  const about = [
    ['s', state],
    ['wlan', key],
    ['ssid', name],
    ['file', file]
  ] as const
  const data = tokens([...about, ...fieldTokens(change)])
  const items = same.map(({ site, row: { address, network } }) => {
    const rules = context.targets.rulesOf(address).map(rule => ['rule', rule] as const)
    const place = file === undefined ? network?.origin?.file : undefined
    const own = tokens([['file', place], ...rules])
    return html`<li id="${targetId(site.name, key)}" data-t="${siteTokens(site, context)}${own}">${site.name}</li>`
  })
  const body = html`
    <h3 hidden>${name} <span>${label}</span></h3>
    ${changeDetails(change, context)}
    <ul class="inline">${items}</ul>`
  return html`<article class="alike" data-t="${data}">${fold(`${plural(same.length, 'site')}: ${name} ${label}`, body)}</article>`
}

function siteItem(site: SiteRow, detailed: ReadonlySet<NetworkRow>, context: Context): Markup {
  const { name, state, networks, clean = 0, reason } = site
  const label = (of: NetworkState) => stateLabel(context.overview.kind, of)
  const byLabel = groupBy(networks.slice(0, IN_LINE), each => networkLabel(each, context))
  const shown = [...byLabel].map(
    ([own, some]) => html`${some.map(each => each.name).join(', ')} ${own}`
  )
  const rest = networks.length - IN_LINE
  const others = clean > 0 && `${formatNumber(clean)} ${label('as-declared')}`
  return html`
    <li data-t="${siteTokens(site, context)}">
      <details>
        <summary class="row">
          ${swatch(state)}
          <b>${name}</b>
          <div>${reason !== undefined ? label(state) : [joined(shown, ' · '), rest > 0 && ` · ${rest} more`]}</div>
          ${others && html`<div class="faint small">${others}</div>`}
        </summary>
        <div id="${targetId(name)}" tabindex="-1">
          ${reason !== undefined && html`<p>${shortenIds(reason)}</p>`}
          ${networks.map(each => networkArticle(name, each, detailed.has(each), context))}
        </div>
      </details>
    </li>`
}

/** `open`; after a run that left its danger: `failed, still open to anybody`. */
function networkLabel({ state, change }: NetworkRow, { overview }: Context): string {
  const label = stateLabel(overview.kind, state)
  return change?.left === undefined ? label : `${label}, ${stillLabel(change.left)}`
}

function networkArticle(
  site: string,
  row: NetworkRow,
  isDetailed: boolean,
  context: Context
): Markup {
  const { key, name, state, change, network, reason, commands, timeline = [] } = row
  const { targets, source } = context
  const { origin, modified, ssid } = network ?? {}
  const same = change === undefined ? 0 : change.networks.length
  const facts = present<Part>(
    ssid !== undefined && ssid !== name && `SSID ${ssid}`,
    modified && context.overview.kind === 'drift' && `last modified ${formatTime(modified)}`,
    origin && isDetailed && html`declared in ${placeLink(origin, source)}`
  )
  const group = change && targets.idOf(change)
  return html`
    <article id="${targetId(site, key)}" data-t="${networkTokens(row, context)}" tabindex="-1">
      <h3>${swatch(state)}${name} <span class="faint">${networkLabel(row, context)}</span></h3>
      ${reason !== undefined && html`<p>${reason}</p>`}
      ${isDetailed && change !== undefined && changeDetails(change, context)}
      ${facts.length > 0 && html`<p class="faint small">${joined(facts, ' · ')}</p>`}
      ${timeline.length > 0 && html`<p class="faint small">${timeline.map(stepText).join(', ')}</p>`}
      ${
        group !== undefined &&
        (same > 1 || !isDetailed) &&
        html`<p class="small"><a href="#${group}">${same > 1 ? `The same at ${plural(same, 'network')}` : 'Its fields'}</a></p>`
      }
      ${isDetailed && commands.map(([command, purpose]) => commandLine(command, purpose))}
    </article>`
}

const steps: Readonly<Record<TimelineEvent['step'], string>> = {
  sending: 'sent',
  answered: 'response',
  read: 'read back',
  outcome: 'outcome'
}

/** A step of an update: `10:13:18 UTC sent`, then its distance to the first one: `response after 0.3 s`. */
function stepText(event: TimelineEvent, nth: number, [first]: readonly TimelineEvent[]): string {
  const { at, step, note } = event
  const seconds = (Date.parse(at) - Date.parse(first?.at ?? at)) / 1000
  const isFirst = nth === 0 || Number.isNaN(seconds)
  const text = isFirst
    ? `${formatTimeOfDay(at)} ${steps[step]}`
    : `${steps[step]} after ${seconds.toFixed(1)} s`
  return note === undefined ? text : `${text} (${note})`
}

function siteTokens({ name, group }: SiteRow, { targets }: Context): string {
  const rules = targets.rulesOf(name).map(rule => ['rule', rule] as const)
  return tokens([['site', name], ['group', group], ...rules])
}

function networkTokens(row: NetworkRow, { targets }: Context): string {
  const { address, key, state, change, network } = row
  return tokens([
    ['s', state],
    ['wlan', key],
    ['ssid', network?.ssid],
    ['file', network?.origin?.file],
    ...fieldTokens(change),
    ...targets.rulesOf(address).map(rule => ['rule', rule] as const)
  ])
}

function fieldTokens(change: ChangeGroup | undefined) {
  return (change?.fields ?? []).map(({ name }) => ['field', name] as const)
}
