import { byCodeUnit } from '../../model/collections.ts'
import { byPlace, type Finding, type FindingCode } from '../../model/finding.ts'
import { concerning } from '../../model/messages/template.ts'

/** What is found when a declaration meets the live state, WLAN by WLAN; all else is about the files. */
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
 * The findings of several runs over parts of one fleet, as one run over all of it has them: those of the
 * files, which every run tells, once and in their order; then those of WLANs by address; of the sites
 * that were not read, those in `unread`; and what is not managed.
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

/** Each once. What WLANs of several parts have in common, is of all of them. */
function joined(findings: readonly Finding[]): Finding[] {
  const groups = new Map<string, Finding[]>()
  for (const found of findings) {
    const key = sameness(found)
    const group = groups.get(key)
    if (group) group.push(found)
    else groups.set(key, [found])
  }
  return [...groups.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : ofAll(first, others)
  )
}

function sameness({ level, code, message, hint, place, path }: Finding): string {
  return JSON.stringify([level, code, message, code === 'RULE_BROKEN' || hint, place, path])
}

function ofAll(first: Finding, others: readonly Finding[]): Finding {
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
    ...(place && { place }),
    ...(path === undefined ? {} : { path }),
    addresses
  }
}

function byAddress(a: Finding, b: Finding): number {
  return byCodeUnit(a.address ?? '', b.address ?? '')
}
