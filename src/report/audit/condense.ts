import type { AuditedNetwork, AuditFinding, BrokenRule, NetworkVariant } from '../../model/audit.ts'
import { groupBy } from '../../model/collections.ts'
import { formatNumber } from '../../model/text.ts'

/** From this number on, VLANs that each site numbers in its own way are counted. */
const MANY_VLANS = 4

/**
 * The variants of a network for a table: where sites number the VLAN in their own way, variants that differ
 * in nothing else are one, and its VLAN is `30 different`.
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

/** The message of a finding without the title of its rule, which the reader has seen. */
export function detailOf({ message }: AuditFinding, { rule }: BrokenRule): string {
  const title = `${rule.title}: `
  return message.startsWith(title) ? message.slice(title.length) : message
}
