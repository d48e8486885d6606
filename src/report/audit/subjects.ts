import type {
  AuditedNetwork,
  AuditFinding,
  BrokenRule,
  NetworkVariant
} from '../../core/model/audit.ts'
import { formatNumber, plural } from '../../core/values/text.ts'
import { groupFindings } from '../group-findings.ts'

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

/** From this number on, VLANs that differ from site to site are counted instead of listed. */
const MANY_VLANS = 4

/**
 * The variants of a network for a table: if the VLAN ID differs from site to site, variants that differ only
 * in the VLAN are merged, and their VLAN is `30 different`.
 */
export function condensedVariants({ variants }: AuditedNetwork): readonly NetworkVariant[] {
  const isUsual = variants.some(({ odd }) => odd.includes('vlan'))
  if (isUsual || variants.length < MANY_VLANS) return variants
  const groups = groupFindings(variants, ({ vlan: _, sites: __, ...rest }) => JSON.stringify(rest))
  return groups
    .flatMap((group): readonly NetworkVariant[] => {
      if (group.length < MANY_VLANS) return group
      const vlan = `${formatNumber(group.length)} different`
      return [{ ...group[0], vlan, sites: group.flatMap(({ sites }) => sites) }]
    })
    .sort((a, b) => b.sites.length - a.sites.length)
}

/** The message of a finding without the title of its rule, which is shown above it. */
export function condensedDetail({ message }: AuditFinding, { rule }: BrokenRule): string {
  const title = `${rule.title}: `
  return message.startsWith(title) ? message.slice(title.length) : message
}
