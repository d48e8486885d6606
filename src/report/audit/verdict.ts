import type {
  Audit,
  AuditedNetwork,
  AuditFinding,
  BrokenRule,
  NetworkVariant
} from '../../core/model/audit.ts'
import { compact, groupBy } from '../../core/values/collections.ts'
import { capitalised, formatNumber, plural } from '../../core/values/text.ts'

/**
 * The result of an audit in one line, the first action, and the counts. None of them contains untrusted text.
 */
export interface AuditVerdict {
  readonly tone: 'good' | 'note' | 'warn' | 'bad'
  readonly text: string
  readonly advice?: string
  readonly accounts: string
}

export function auditVerdict(audit: Audit): AuditVerdict {
  const { rules, counts, outliers, sites, unread, wlans } = audit
  const [first] = rules
  const accounts = [
    `${plural(wlans, 'WLAN')} at ${plural(sites.length, 'site')}`,
    ...(counts.info === 0 ? [] : [plural(counts.info, 'note')]),
    audit.snapshot === undefined
      ? plural(audit.requests, 'request')
      : `snapshot of ${audit.snapshot}`
  ].join(', ')
  if (sites.length === 0 && unread.length > 0) {
    const text = `Incomplete: ${plural(unread.length, 'site')} not read, so nothing was checked`
    return { tone: 'bad', text, accounts }
  }
  const missing =
    unread.length === 0 ? '' : `Incomplete: ${plural(unread.length, 'site')} not read. `
  const parts = [
    counts.error > 0 && plural(counts.error, 'error'),
    counts.warning > 0 && plural(counts.warning, 'warning'),
    outliers.length > 0 && plural(outliers.length, 'outlier')
  ].filter(part => part !== false)
  if (parts.length === 0) {
    const tone = missing !== '' ? 'warn' : 'good'
    return {
      tone,
      text: `${missing}No error and no warning at ${plural(sites.length, 'site')}`,
      accounts
    }
  }
  const advice =
    first === undefined || first.level === 'info'
      ? undefined
      : `First: ${first.rule.title} (${subjectPlaces(first)}). ${sentence(first.rule.advice)}`
  return {
    tone: counts.error > 0 ? 'bad' : 'warn',
    text: `${missing}${listed(parts)} at ${formatNumber(affectedSites(audit))} of ${plural(sites.length, 'site')}`,
    ...compact({ advice }),
    accounts
  }
}

/** `a`, `a and b`, or `a, b and c`. */
function listed(parts: readonly string[]): string {
  return [parts.slice(0, -1).join(', '), ...parts.slice(-1)]
    .filter(part => part !== '')
    .join(' and ')
}

/** The number of sites with an error, a warning or an outlier. */
function affectedSites({ rules, outliers }: Audit): number {
  const broken = rules.flatMap(({ findings }) => findings.filter(isSerious).map(({ site }) => site))
  return new Set([...broken, ...outliers.flatMap(({ sites }) => sites)]).size
}

function isSerious({ level }: AuditFinding): boolean {
  return level !== 'info'
}

/** `3 WLANs at 2 sites`, or `2 sites` if whole sites break the rule. */
export function subjectPlaces({ findings, sites }: BrokenRule): string {
  const ofWlans = findings.filter(({ wlan }) => wlan !== undefined)
  const wlans = new Set(ofWlans.map(({ site, wlan }) => JSON.stringify([site, wlan]))).size
  const at = plural(sites, 'site')
  return wlans === 0 ? at : `${plural(wlans, 'WLAN')} at ${at}`
}

/** The place of a finding: `hq/Guest`, or the site. Not escaped. */
export function subjectAddress({ site, wlan }: AuditFinding): string {
  return wlan === undefined ? site : `${site}/${wlan}`
}

/**
 * The reason why a file that is passed on does not list where a rule about the values of secrets is broken.
 */
export const SECRET_NOTE =
  'This finding depends on the value of a secret: only the text result lists where.'

/** A text of the catalogue as a sentence, with a capital letter. */
export function sentence(text: string): string {
  return `${capitalised(text)}.`
}

/** From this number on, VLANs that differ from site to site are counted instead of listed. */
const MANY_VLANS = 4

/**
 * The variants of a network for a table: if the VLAN ID differs from site to site, variants that differ only
 * in the VLAN are merged, and their VLAN is `30 different`.
 */
export function condensedVariants({ variants }: AuditedNetwork): readonly NetworkVariant[] {
  const isUsual = variants.some(({ odd }) => odd.includes('vlan'))
  if (isUsual || variants.length < MANY_VLANS) return variants
  const groups = groupBy(variants, ({ vlan: _, sites: __, ...rest }) => JSON.stringify(rest))
  return [...groups.values()]
    .flatMap(group => (group.length < MANY_VLANS ? group : merged(group)))
    .sort((a, b) => b.sites.length - a.sites.length)
}

function merged(group: readonly NetworkVariant[]): NetworkVariant[] {
  const [first] = group
  if (first === undefined) return []
  const vlan = `${formatNumber(group.length)} different`
  return [{ ...first, vlan, sites: group.flatMap(({ sites }) => sites) }]
}

/** The message of a finding without the title of its rule, which is shown above it. */
export function condensedDetail({ message }: AuditFinding, { rule }: BrokenRule): string {
  const title = `${rule.title}: `
  return message.startsWith(title) ? message.slice(title.length) : message
}
