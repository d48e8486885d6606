import {
  type Audit,
  type AuditedNetwork,
  type BrokenRule,
  isFromSecret,
  type NetworkAspect,
  type NetworkVariant,
  networkAspects,
  type Outlier
} from '../../core/model/audit.ts'
import { compact, groupBy } from '../../core/values/collections.ts'
import { capitalised, formatNumber, listFirst, plural } from '../../core/values/text.ts'
import { outlierDetails } from '../audit/outliers.ts'
import {
  auditVerdict,
  condensedDetail,
  condensedVariants,
  SECRET_NOTE,
  sentence,
  subjectAddress,
  subjectPlaces
} from '../audit/verdict.ts'
import { escapeInside } from '../escape.ts'
import {
  dataTable,
  factsList,
  inlineCode,
  moreLine,
  scrollRegion,
  section,
  verdictHeader,
  withCode
} from './components.ts'
import { staticPage } from './html.ts'
import { type Child, h, type VElement } from './vdom.ts'

/** The number of problems at the top of the page. */
const FIRST = 3

/**
 * An audit as a page without script: the problems to fix first, each problem with its places, and the
 * networks.
 */
export function auditHtml(audit: Audit): string {
  const { rules, networks, unread, baseUrl } = audit
  const { accounts, advice, ...outcome } = auditVerdict(audit)
  const verdict = { ...outcome, ...compact({ advice: advice?.replaceAll('`', '') }) }
  const serious = rules.filter(({ level }) => level !== 'info')
  const sections = [
    serious.length > 0 &&
      section(
        'first',
        'Fix first',
        h('ol', { class: 'worst' }, serious.slice(0, FIRST).map(firstItem))
      ),
    section('problems', 'All problems, worst first', problemList(rules)),
    siteMatrix(audit),
    networks.length > 0 && networkSection(networks),
    outlierSection(audit),
    lookAlikeSection(audit),
    unread.length > 0 && unreadSection(audit)
  ]
  return staticPage(
    `Audit: ${verdict.text} – wlanctl`,
    h('a', { class: 'skip', href: '#main' }, 'Skip to content'),
    h('header', {}, verdictHeader({ verdict, accounts })),
    h('main', { id: 'main' }, sections),
    h('footer', {}, factsList([['Service', baseUrl]]))
  )
}

function firstItem(broken: BrokenRule): VElement {
  const { rule, level } = broken
  return h(
    'li',
    { class: `worst-site ${level}` },
    h('h3', {}, withCode(capitalised(rule.title))),
    h('p', {}, h('strong', {}, subjectPlaces(broken))),
    firstPlaces(broken) ?? false,
    h('p', {}, withCode(sentence(rule.why))),
    h('p', {}, h('strong', {}, '→ ', withCode(sentence(rule.advice)))),
    h('p', {}, h('a', { href: `#rule-${rule.id}` }, 'Where, and why'))
  )
}

/** The names of the first places; none if the problem depends on a secret. */
function firstPlaces({ findings, fromSecret }: BrokenRule): VElement | undefined {
  if (fromSecret) return undefined
  const names = [...new Set(findings.map(subjectAddress))]
  return h('p', { class: 'faint' }, escapeInside(listFirst(names, FIRST)))
}

function problemList(rules: readonly BrokenRule[]): VElement {
  if (rules.length === 0) return h('p', { class: 'calm' }, 'No rule of the linter is broken.')
  return h('ul', { class: 'findings' }, rules.map(problemItem))
}

function problemItem(broken: BrokenRule): VElement {
  const { rule, level, fromSecret } = broken
  const head = [h('strong', { class: 'level' }, level), ' ', withCode(sentence(rule.title)), ' ']
  return h(
    'li',
    { class: `finding ${level}`, id: `rule-${rule.id}` },
    h('div', {}, head, h('span', { class: 'faint' }, subjectPlaces(broken))),
    firstPlaces(broken) ?? false,
    h('div', { class: 'hint' }, '→ ', withCode(sentence(rule.advice))),
    h(
      'details',
      {},
      h('summary', {}, 'Where, and why'),
      factsList([
        ['Why', withCode(sentence(rule.why))],
        ['Condition', withCode(sentence(rule.condition))],
        ['Known false positives', withCode(rule.falseAlarms)],
        ['Rule', inlineCode(rule.id)]
      ]),
      fromSecret ? h('p', {}, SECRET_NOTE) : placeList(broken)
    )
  )
}

/** All places, grouped by message. */
function placeList(broken: BrokenRule): VElement {
  const groups = groupBy(broken.findings, found => condensedDetail(found, broken))
  const items = [...groups].map(([message, found]) =>
    h(
      'li',
      {},
      found.map((each, at) => [at > 0 && ', ', inlineCode(escapeInside(subjectAddress(each)))]),
      ` – ${escapeInside(message)}`
    )
  )
  return h('ul', { class: 'places', tabindex: 0 }, items)
}

/** The maximum number of variants in the table of a network, and of sites in a row. */
const MAX_VARIANTS = 12
const MAX_SITES = 8

/** The maximum number of networks on the page. */
const MAX_NETWORKS = 200

function networkSection(networks: readonly AuditedNetwork[]): VElement {
  const rows = networks.slice(0, MAX_NETWORKS).flatMap(network =>
    condensedVariants(network)
      .slice(0, MAX_VARIANTS)
      .map((variant): Child[] => [
        inlineCode(escapeInside(network.ssid)),
        formatNumber(variant.sites.length),
        marked(variant.enabled ? 'on' : 'off', variant.odd.includes('enabled')),
        ...networkAspects.map(aspect => aspectCell(variant, aspect)),
        escapeInside(listFirst(variant.sites, MAX_SITES))
      ])
  )
  const columns = ['SSID', 'WLANs', 'State', 'Security', 'VLAN', 'Bands', 'Sites']
  return section(
    'networks',
    'Networks',
    scrollRegion(
      'network-table',
      'Table of networks',
      dataTable('Variants of each SSID', columns, rows)
    ),
    moreLine(networks.length - MAX_NETWORKS, 'SSID', '; see the JSON report')
  )
}

function aspectCell(variant: NetworkVariant, aspect: NetworkAspect): Child {
  return marked(escapeInside(variant[aspect]), variant.odd.includes(aspect))
}

function marked(text: string, isOdd: boolean): Child {
  return isOdd ? h('strong', { class: 'odd' }, `! ${text}`) : text
}

function outlierSection({ outliers }: Audit): VElement | false {
  if (outliers.length === 0) return false
  const rows = outliers.map((outlier): Child[] => [
    inlineCode(escapeInside(outlier.ssid)),
    outlierDetails(outlier).map(detail => h('div', {}, inlineCode(detail))),
    isFromSecret(outlier)
      ? SECRET_NOTE
      : escapeInside(listFirst([...new Set(outlier.sites)], MAX_SITES))
  ])
  const columns = ['SSID', 'Differs from most sites', 'Sites']
  const table = dataTable('Networks that differ from most sites', columns, rows)
  return section('outliers', 'Outliers', scrollRegion('outlier-table', 'Table of outliers', table))
}

function lookAlikeSection({ lookAlikes }: Audit): VElement | false {
  if (lookAlikes.length === 0) return false
  const items = lookAlikes.map(ssids =>
    h(
      'li',
      {},
      ssids.map(({ ssid, wlans }, at) => [
        at > 0 && ', ',
        inlineCode(escapeInside(ssid)),
        ` (${plural(wlans, 'WLAN')})`
      ])
    )
  )
  return section('look-alikes', 'SSIDs that look alike', h('ul', {}, items))
}

function unreadSection({ unread }: Audit): VElement {
  const items = unread.map(({ site, reason }) =>
    h('li', {}, inlineCode(escapeInside(site)), ` ${escapeInside(reason)}`)
  )
  return section('unread', `Not read: ${plural(unread.length, 'site')}`, h('ul', {}, items))
}

/** The maximum number of SSIDs with a column; the most common ones have one. */
const MAX_COLUMNS = 16

/** The number of sites per table: browsers lay out a closed fold only when it is opened. */
const FOLD = 100

type SiteRow = ReadonlyMap<number, readonly NetworkVariant[]>

/** The matrix of sites and SSIDs with security, VLAN and bands; the sites with most exceptions come first. */
export function siteMatrix({ networks, sites, outliers }: Audit): VElement | false {
  if (networks.length === 0) return false
  const columns = networks.slice(0, MAX_COLUMNS)
  const rows = new Map<string, Map<number, NetworkVariant[]>>(sites.map(site => [site, new Map()]))
  for (const [at, { variants }] of columns.entries()) {
    for (const variant of variants) {
      for (const site of variant.sites) {
        const row = rows.get(site)
        row?.set(at, [...(row.get(at) ?? []), variant])
      }
    }
  }
  const ofSite = exceptionsBySite(outliers)
  const sorted = [...rows].map(([site, row]) => ({ site, row, odd: ofSite.get(site) ?? [] }))
  sorted.sort((a, b) => b.odd.length - a.odd.length)
  const exceptions = sorted.filter(({ odd }) => odd.length > 0).length
  return section(
    'matrix',
    'Sites and SSIDs',
    h(
      'p',
      { class: 'faint' },
      `Security, VLAN and bands of each network; ! marks a value that differs from most sites: ${plural(exceptions, 'site')}. Sites with exceptions come first.`
    ),
    folds(
      sorted,
      columns.map(({ ssid }) => ssid)
    ),
    moreLine(networks.length - MAX_COLUMNS, 'SSID', '; see the networks below')
  )
}

/** The outliers of each site, without those in the values of secrets. */
function exceptionsBySite(outliers: readonly Outlier[]): ReadonlyMap<string, Outlier[]> {
  const known = outliers.filter(outlier => !isFromSecret(outlier))
  const places = known.flatMap(outlier =>
    [...new Set(outlier.sites)].map(site => ({ site, outlier }))
  )
  const bySite = [...groupBy(places, ({ site }) => site)]
  return new Map(bySite.map(([site, found]) => [site, found.map(({ outlier }) => outlier)]))
}

function folds(
  sites: readonly {
    readonly site: string
    readonly row: SiteRow
    readonly odd: readonly Outlier[]
  }[],
  ssids: readonly string[]
): VElement[] {
  const heads = ['Site', ...ssids.map(escapeInside)]
  const starts = Array.from({ length: Math.ceil(sites.length / FOLD) }, (_, nth) => nth * FOLD)
  return starts.map(start => {
    const part = sites.slice(start, start + FOLD)
    const rows = part.map(({ site, row, odd }): Child[] => [
      inlineCode(escapeInside(site)),
      ...ssids.map((ssid, at) =>
        cells(
          row.get(at) ?? [],
          odd.filter(outlier => outlier.ssid === ssid)
        )
      )
    ])
    const name = `Sites ${formatNumber(start + 1)} to ${formatNumber(start + part.length)}`
    const table = scrollRegion(`matrix-${start}`, name, dataTable(name, heads, rows))
    return h('details', { class: 'fold', open: start === 0 }, h('summary', {}, name), table)
  })
}

function cells(variants: readonly NetworkVariant[], outliers: readonly Outlier[]): Child[] {
  const isMarked = variants.some(({ odd }) => odd.length > 0)
  if (outliers.length === 0 || isMarked) return variants.map(cell)
  const text = variants.length === 0 ? 'missing' : 'see the outliers'
  return [...variants.map(cell), marked(text, true)]
}

function cell(variant: NetworkVariant): VElement {
  const { enabled, odd } = variant
  const parts = networkAspects.map(aspect => h('span', {}, aspectCell(variant, aspect)))
  return h(
    'div',
    { class: enabled ? undefined : 'faint' },
    !enabled && [marked('off', odd.includes('enabled')), ': '],
    parts.map((part, at) => [at > 0 && ' · ', part])
  )
}
