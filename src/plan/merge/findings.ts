import { byCodeUnit, compact, groupBy } from '../../model/collections.ts'
import { byPlace, type Finding, type FindingCode } from '../../model/finding.ts'
import { concerning } from '../../model/messages/template.ts'

/** The codes of findings about a single live WLAN; all others are about the files. */
const live: ReadonlySet<FindingCode> = new Set<FindingCode>([
  'WLAN_NOT_FOUND',
  'WLAN_AMBIGUOUS',
  'WLAN_CLAIMED_TWICE',
  'WLAN_INHERITED',
  'SECRET_HIDDEN',
  'SECRET_LOST',
  'SECRET_MASKED',
  'DOWNGRADE'
])

/**
 * The findings of several runs over parts of one fleet, in the order of a single run: those of the files,
 * which every run reports, once; those of WLANs by address; those of unread sites, given as `unread`;
 * unmanaged WLANs.
 */
export function mergeFindings(
  lists: readonly (readonly Finding[])[],
  unread: readonly Finding[]
): Finding[] {
  const all = lists.flat()
  const isOfSite = ({ code }: Finding) => code === 'SITE_NOT_READ' || code === 'UNMANAGED'
  const ofFiles = all.filter(found => !live.has(found.code) && !isOfSite(found))
  return [
    ...joined(ofFiles).sort(byPlace),
    ...all.filter(({ code }) => live.has(code)).sort(byAddress),
    ...unread,
    ...all.filter(({ code }) => code === 'UNMANAGED').sort(byAddress)
  ]
}

/** Each once. A finding that several parts share gets the addresses of all. */
function joined(findings: readonly Finding[]): Finding[] {
  return [...groupBy(findings, identityOf).values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : combined(first, others)
  )
}

function identityOf({ level, code, message, hint, place, path }: Finding): string {
  return JSON.stringify([level, code, message, code === 'RULE_BROKEN' || hint, place, path])
}

function combined(first: Finding, others: readonly Finding[]): Finding {
  if (first.code !== 'RULE_BROKEN' || others.length === 0) return first
  const concerned = [first, ...others].flatMap(
    ({ address, addresses = [] }) => address ?? addresses
  )
  const addresses = [...new Set(concerned)].sort(byCodeUnit)
  if (addresses.length === 1) return first
  const { level, code, message, place, path } = first
  return {
    level,
    code,
    message,
    hint: concerning(addresses),
    ...compact({ place, path }),
    addresses
  }
}

function byAddress(a: Finding, b: Finding): number {
  return byCodeUnit(a.address ?? '', b.address ?? '')
}
