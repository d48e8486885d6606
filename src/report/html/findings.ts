import { type Finding, levelRank } from '../../core/model/finding.ts'
import { formatLocation, formatNumber, plural } from '../../core/values/text.ts'
import {
  addressesOf,
  codeOf,
  type GroupedFindings,
  groupEqualFindings,
  groupMessage,
  isAboutSite
} from '../group-findings.ts'
import { detailsLink, inlineCode, moreLine, section, withCode } from './components.ts'
import { cellPositionOf } from './fleet-encoder.ts'
import { type Child, h, type VElement } from './vdom.ts'

/** The maximum number of groups on the page. */
const SHOWN_GROUPS = 200

/** The maximum number of WLANs or sites that a group lists. */
const NAMED = 30

/**
 * The findings, with equal ones of several WLANs or sites as one item; errors come first. `linked`: link the
 * WLANs.
 */
export function findingsOverview(
  findings: readonly Finding[],
  linked: boolean,
  { id, title } = { id: 'findings', title: 'Findings' }
): VElement {
  const groups = groupEqualFindings(findings).sort(
    (a, b) => levelRank(a[0].level) - levelRank(b[0].level)
  )
  const rest = groups.slice(SHOWN_GROUPS).reduce((sum, group) => sum + group.length, 0)
  return section(
    id,
    `${title} (${formatNumber(findings.length)})`,
    h(
      'ul',
      { class: 'findings' },
      groups.slice(0, SHOWN_GROUPS).map(group => groupItem(group, linked))
    ),
    moreLine(rest, 'finding', '; see the JSON report')
  )
}

function groupItem(group: GroupedFindings<Finding>, linked: boolean): VElement {
  const [first, ...others] = group
  const addresses = addressesOf(group)
  if (addresses.length <= 1 && others.length === 0) return findingItem(first, linked)
  const { address: _, path: __, ...common } = first
  const isSite = isAboutSite(first)
  return item({ ...common, message: groupMessage(group) }, addressList(addresses, isSite, linked))
}

/** One finding: level, message, hint and location. */
export function findingItem(finding: Finding, linked: boolean): VElement {
  const { address } = finding
  if (address === undefined) return item(finding, undefined)
  return item(finding, addressLink(address, isAboutSite(finding), linked))
}

function item(finding: Finding, subject: VElement | undefined): VElement {
  const { level, message, hint, place, path, owner } = finding
  const details = [
    subject,
    place && inlineCode(formatLocation(place)),
    path === undefined ? undefined : inlineCode(path),
    owner === undefined ? undefined : h('span', {}, `owner ${owner}`),
    h('span', { class: 'faint' }, codeOf(finding))
  ].filter(detail => detail !== undefined)
  return h(
    'li',
    { class: `finding ${level}` },
    h('div', {}, h('strong', { class: 'level' }, level), ' ', withCode(message)),
    hint !== undefined && h('div', { class: 'hint' }, '→ ', withCode(hint)),
    h('div', { class: 'where' }, separated(details, ' · '))
  )
}

function addressList(addresses: readonly string[], areSites: boolean, linked: boolean): VElement {
  const links = addresses.slice(0, NAMED).map(address => addressLink(address, areSites, linked))
  const rest = addresses.length - NAMED
  return h(
    'span',
    {},
    `${plural(addresses.length, areSites ? 'site' : 'WLAN')}: `,
    separated(links, ', '),
    rest > 0 && ` and ${rest} more`
  )
}

/** The elements with a separator between them. */
export function separated(elements: readonly VElement[], separator: string): Child[] {
  return elements.map((element, at) => (at === 0 ? element : [separator, element]))
}

function addressLink(address: string, isSite: boolean, linked: boolean): VElement {
  if (!linked) return inlineCode(address)
  if (isSite) return detailsLink(address, '', address)
  const { site, key } = cellPositionOf(address)
  return detailsLink(site, key, address)
}
