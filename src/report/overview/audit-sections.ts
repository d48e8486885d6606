import {
  type Audit,
  type AuditedNetwork,
  type AuditFinding,
  type BrokenRule,
  type Difference,
  isFromSecret,
  type NetworkVariant,
  networkAspects,
  type Outlier
} from '../../core/model/audit.ts'
import { groupBy, groupsBy, present } from '../../core/values/collections.ts'
import { capitalised, formatNumber, plural, quote } from '../../core/values/text.ts'
import { escapeInside } from '../escape.ts'
import { formatField, formatValue } from '../fields/format-value.ts'
import {
  danger,
  type Inline,
  listText,
  muted,
  name,
  type Section,
  strong,
  type TableRow,
  type Text
} from '../render/document.ts'
import { messageText } from '../wording/message.ts'
import { namesText, nameTexts, notReadSection, row, section } from './sections.ts'
import { whereOf } from './where.ts'

export function auditSections(audit: Audit, isTerminal: boolean): Section[] {
  const { outliers, networks, lookAlikes } = audit
  const rulesOf = (about: Omit<Section, 'blocks'>, all: readonly BrokenRule[]) =>
    section(
      about,
      ['Level', 'Problem', 'Where'],
      all.map(broken => ruleRow(broken, isTerminal))
    )
  const notes = audit.rules.filter(({ level }) => level === 'info')
  const problems = audit.rules.filter(({ level }) => level !== 'info')
  const outlier = {
    id: 'exceptions',
    noun: 'outlier',
    tone: 'warn',
    count: outliers.length
  } as const
  const network = {
    id: 'networks',
    noun: 'variant',
    isNamed: true,
    count: networks.length
  } as const
  const alike = { id: 'look-alikes', noun: 'group', count: lookAlikes.length }
  return [
    ...rulesOf({ id: 'problems', title: 'Problems', noun: 'problem', tone: 'bad' }, problems),
    ...section(
      { ...outlier, title: 'Outliers: what differs from other sites' },
      ['Network', 'Differs', 'Sites'],
      outliers.map(each => outlierRow(each, isTerminal))
    ),
    ...notReadSection(audit.unread),
    ...section(
      { ...network, title: 'Networks' },
      ['Network', 'Count', 'Security', 'VLAN', 'Bands', 'Sites'],
      networks.flatMap(variantRows)
    ),
    ...section(
      { ...alike, title: 'SSIDs that look alike' },
      ['SSIDs'],
      lookAlikes.map(ssids =>
        row(listText(ssids.map(({ ssid, wlans }) => [ssidName(ssid), ` (${formatNumber(wlans)})`])))
      )
    ),
    ...rulesOf(
      {
        id: 'notes',
        title: 'Notes',
        count: notes.length,
        noun: 'note',
        isFolded: true,
        isDetail: true,
        whenHidden: `Notes: ${plural(notes.length, 'rule')} not listed: \`--verbose\` lists them`
      },
      notes
    )
  ]
}

function ssidName(ssid: string): Inline {
  return name(quote(ssid, 40))
}

/** A broken rule with the places and their messages; `isTerminal`: also those of a finding about the value of a secret. */
export function ruleRow(broken: BrokenRule, isTerminal: boolean): TableRow {
  const { rule, level, fromSecret, findings } = broken
  const byMessage = [...groupBy(findings, ({ detail }) => detail)]
  const where = byMessage.map(
    ([message, found]): Text => [...placesText(found), ': ', ...messageText(message)]
  )
  const rest = where.length - MAX_MESSAGES
  return {
    cells: [
      [[level === 'error' ? danger(level) : level]],
      [
        [strong(rule.title), ' ', muted(`${rule.id}, ${subjectPlaces(broken)}`)],
        ['→ ', ...messageText(`${capitalised(rule.advice)}.`)]
      ],
      fromSecret && !isTerminal
        ? [[SECRET_NOTE]]
        : present<Text>(
            ...where.slice(0, MAX_MESSAGES),
            rest > 0 && [`and ${plural(rest, 'more message')}`]
          )
    ],
    weight: findings.length
  }
}

const MAX_MESSAGES = 5

function outlierRow(outlier: Outlier, isTerminal: boolean): TableRow {
  const sites = [...new Set(outlier.sites)]
  const where: Text =
    isFromSecret(outlier) && !isTerminal ? [SECRET_NOTE] : namesText(sites, 'site')
  return {
    cells: [[[ssidName(outlier.ssid)]], outlierDetails(outlier).map(text => [name(text)]), [where]],
    weight: sites.length
  }
}

function variantRows(network: AuditedNetwork): TableRow[] {
  return condensedVariants(network).map((variant, at) =>
    row(
      at === 0 ? [ssidName(network.ssid)] : [],
      formatNumber(variant.sites.length),
      ...networkAspects.map(aspect => aspectText(variant, aspect)),
      namesText(variant.sites, 'site')
    )
  )
}

/** A value that differs from most sites is marked, and so is a network that is off. */
function aspectText(variant: NetworkVariant, aspect: (typeof networkAspects)[number]): Text {
  const { enabled, odd } = variant
  const isState = aspect === 'security' && (!enabled || odd.includes('enabled'))
  const text = `${isState ? `${enabled ? 'on' : 'off'}, ` : ''}${variant[aspect]}`
  const isOdd = odd.includes(isState ? 'enabled' : aspect)
  return [isOdd ? danger('! ', name(text)) : name(text)]
}

/** `3 networks at 2 sites`, `1 secret of 3 networks at 2 sites`, or `2 sites` if whole sites break the rule. */
function subjectPlaces({ findings, count, sites }: BrokenRule): string {
  const ofWlans = findings.filter(({ wlan }) => wlan !== undefined)
  const wlans = new Set(ofWlans.map(({ site, wlan }) => JSON.stringify([site, wlan]))).size
  const at = plural(sites, 'site')
  const secrets = count < findings.length ? `${plural(count, 'secret')} of ` : ''
  return wlans === 0 ? at : `${secrets}${plural(wlans, 'network')} at ${at}`
}

/** `Guest at hq`, or `Guest at 9 sites (hq, lab, museum and 6 more)`. */
function placesText(found: readonly AuditFinding[]): Text {
  const { text, places, isWhole } = whereOf(
    found.map(({ site, wlan = '' }) => ({ site, key: wlan, name: wlan }))
  )
  return isWhole ? text : [...text, ' (', ...listText(nameTexts(places), 3), ')']
}

/** The reason why a file that is passed on does not list where a rule about the values of secrets is broken. */
const SECRET_NOTE =
  'This finding depends on the value of a secret: only the text result lists where.'

/** From this number on, VLANs that differ from site to site are counted instead of listed. */
const MANY_VLANS = 4

/**
 * The variants of a network for a table: if the VLAN ID differs from site to site, variants that differ only
 * in the VLAN are merged, and their VLAN is `30 different`.
 */
function condensedVariants({ variants }: AuditedNetwork): readonly NetworkVariant[] {
  const isUsual = variants.some(({ odd }) => odd.includes('vlan'))
  if (isUsual || variants.length < MANY_VLANS) return variants
  const groups = groupsBy(variants, ({ vlan: _, sites: __, ...rest }) => JSON.stringify(rest))
  return groups
    .flatMap((group): readonly NetworkVariant[] => {
      if (group.length < MANY_VLANS) return group
      const vlan = `${formatNumber(group.length)} different`
      return [{ ...group[0], vlan, sites: group.flatMap(({ sites }) => sites) }]
    })
    .sort((a, b) => b.sites.length - a.sites.length)
}

/** What differs from most sites, one phrase for each field. Escaped. */
export function outlierDetails({ differences, peers }: Outlier): string[] {
  const among = peers === undefined ? '' : `, in ${escapeInside(peers)}`
  return differences.map(difference => `${differenceText(difference)}${among})`)
}

/** Without the closing parenthesis. */
function differenceText(difference: Difference): string {
  const at = formatNumber(difference.usualCount)
  const usualSites = plural(difference.usualCount, 'site')
  switch (difference.kind) {
    case 'value':
      return `${nameOf(difference)}${stateOf(difference, difference.value)} (${stateOf(difference, difference.usual)} at ${at}`
    case 'missing':
      return `missing${similarText(difference.similar)} (present at ${usualSites}`
    case 'extra':
      return `only here (not at ${usualSites}`
    case 'secret':
      return `another ${formatField(difference.field)} (one is shared by ${at}`
    case 'shared':
      return `${formatField(difference.field)} shared (${usualSites} with their own`
  }
}

type ValueDifference = Extract<Difference, { readonly kind: 'value' }>

function nameOf({ field }: ValueDifference): string {
  return field === '/enabled' ? '' : `${formatField(field)} `
}

function stateOf({ field }: ValueDifference, value: ValueDifference['value']): string {
  if (field === '/enabled') return value === false ? 'off' : 'on'
  return value === null ? 'not set' : formatValue(value)
}

function similarText(similar: string | undefined): string {
  return similar === undefined ? '' : `, but ${escapeInside(quote(similar, 40))} exists`
}
