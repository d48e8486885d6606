import { type Finding, isError } from '../../model/finding.ts'
import { maskIds } from '../format-value.ts'
import type { GroupedFindings } from '../group-findings.ts'
import { formatLocation, groupEqualFindings } from '../text/findings.ts'
import { cellPositionOf } from './fleet.ts'
import { code, open } from './pieces.ts'
import { type Element, h, type Tree } from './tree.ts'
import { count } from './words.ts'

/** So many findings are in the page's own text; the script has them all. */
const SHOWN = 200

/** A finding names so many WLANs or sites. */
const NAMED = 30

/** The findings, those that say the same together; errors first. `linked`: the page shows the WLANs. */
export function findingsPart(findings: readonly Finding[], linked: boolean): Element {
  const groups = groupEqualFindings(findings).sort((a, b) => rankOf(a[0]) - rankOf(b[0]))
  const rest = groups.slice(SHOWN).reduce((sum, group) => sum + group.length, 0)
  return h(
    'section',
    { id: 'findings', 'aria-labelledby': 'findings-title' },
    h('h2', { id: 'findings-title' }, `Findings (${findings.length})`),
    h(
      'ul',
      { class: 'findings' },
      ...groups.slice(0, SHOWN).map(group => groupItem(group, linked))
    ),
    ...(rest === 0
      ? []
      : [
          h(
            'p',
            { class: 'faint' },
            `and ${count(rest, 'more finding')}; the report as JSON has them all`
          )
        ])
  )
}

function rankOf(found: Finding): number {
  return isError(found) ? 0 : 1
}

function groupItem(group: GroupedFindings<Finding>, linked: boolean): Element {
  const [found, ...others] = group
  if (others.length === 0) return findingItem(found, linked)
  const about = group.flatMap(({ address }) => address ?? [])
  const message = found.code === 'SITE_NOT_READ' ? maskIds(found.message) : found.message
  const { address: _, path: __, ...said } = found
  return item({ ...said, message }, aboutMany(about, found.code === 'SITE_NOT_READ', linked))
}

/** One finding: how bad it is, what, where, and what to do. */
export function findingItem(found: Finding, linked: boolean): Element {
  const { address, code: name } = found
  if (address === undefined) return item(found, [])
  return item(found, [whereLink(address, name === 'SITE_NOT_READ' || name === 'UNMANAGED', linked)])
}

function item(found: Finding, about: readonly Tree[]): Element {
  const { level, code: name, message, hint, place, path, owner } = found
  const where: Tree[] = [
    ...about,
    ...(place === undefined ? [] : [code(formatLocation(place))]),
    ...(path === undefined ? [] : [code(path)]),
    ...(owner === undefined ? [] : [h('span', {}, `owner ${owner}`)]),
    h('span', { class: 'faint' }, name)
  ]
  return h(
    'li',
    { class: `finding ${level}` },
    h('div', {}, h('strong', { class: 'level' }, level), ' ', message),
    ...(hint === undefined ? [] : [h('div', { class: 'hint' }, `→ ${hint}`)]),
    h(
      'div',
      { class: 'where' },
      ...where.flatMap((each, at) => (at === 0 ? [each] : [' · ', each]))
    )
  )
}

function aboutMany(addresses: readonly string[], areSites: boolean, linked: boolean): Tree[] {
  const shown = addresses
    .slice(0, NAMED)
    .flatMap((address, at) => [...(at === 0 ? [] : [', ']), whereLink(address, areSites, linked)])
  const rest = addresses.length - NAMED
  const noun = areSites ? 'site' : 'WLAN'
  return [
    h(
      'span',
      {},
      `${count(addresses.length, noun)}: `,
      ...shown,
      ...(rest > 0 ? [` and ${rest} more`] : [])
    )
  ]
}

function whereLink(address: string, isSite: boolean, linked: boolean): Element {
  if (!linked) return code(address)
  if (isSite) return open(address, '', address)
  const { site, key } = cellPositionOf(address)
  return open(site, key, address)
}
