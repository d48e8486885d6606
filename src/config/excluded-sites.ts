import type { Site } from '../model/desired.ts'
import { finding } from '../model/finding.ts'
import { expectList, expectMap, Members } from './expect.ts'
import { at } from './files/source.ts'
import type { Findings } from './findings.ts'
import { limits } from './limits.ts'
import { isSite } from './select.ts'
import type { MapNode, Node } from './yaml/tree.ts'

/** An entry of `excluded_sites`: no run reads these sites until the end of a day. */
export interface DeclaredExclusion {
  /** A glob over names and ids. */
  readonly site: string
  readonly reason: string
  /** The last day, in UTC: `2027-01-31`. */
  readonly until: string
  readonly node: MapNode
}

/** Reads the `excluded_sites` of a policy. Reports invalid entries, and returns the others. */
export function exclusionsIn(node: Node | undefined, findings: Findings): DeclaredExclusion[] {
  const items = (node && expectList(node, findings)?.items) ?? []
  const tooMany = items[limits.rules]
  if (tooMany !== undefined) {
    findings.push(finding('EXCLUSIONS_TOO_MANY', at(tooMany), limits.rules))
  }
  return items.slice(0, limits.rules).flatMap(item => {
    const map = expectMap(item, findings)
    return (map && exclusionIn(map, findings)) ?? []
  })
}

function exclusionIn(map: MapNode, findings: Findings): DeclaredExclusion | undefined {
  const members = new Members(map, findings)
  const [site, reason, until] = ['site', 'reason', 'until'].map(key => {
    const text = members.text(key)
    if (!map.entries.has(key)) findings.push(finding('EXCLUSION_INCOMPLETE', at(map), key))
    return text
  })
  members.done()
  if (site === undefined || reason === undefined || until === undefined) return undefined
  if (endOfDay(until) !== undefined) return { site, reason, until, node: map }
  findings.push(finding('DATE_INVALID', at(members.node('until') ?? map), until))
  return undefined
}

/** The last millisecond of a day in UTC; undefined for what is no date. */
function endOfDay(date: string): number | undefined {
  const start = /^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(date) : Number.NaN
  const isDate = !Number.isNaN(start) && new Date(start).toISOString().startsWith(date)
  return isDate ? start + 24 * 60 * 60 * 1000 - 1 : undefined
}

/**
 * The globs of the sites that the policy excludes now, each told by a finding. One that is over is an error,
 * and one of no site a warning.
 */
export function excludedSites(
  exclusions: readonly DeclaredExclusion[],
  sites: readonly Site[],
  now: Date,
  findings: Findings
): string[] {
  return exclusions.flatMap(({ site: glob, reason, until, node }) => {
    if (now.getTime() > (endOfDay(until) ?? 0)) {
      findings.push(finding('EXCLUSION_EXPIRED', at(node), glob, until))
      return []
    }
    const names = sites.filter(site => isSite(site, glob)).map(({ name }) => name)
    if (names.length === 0) {
      findings.push(finding('EXCLUSION_WITHOUT_SITES', at(node), glob))
      return []
    }
    findings.push(finding('SITES_EXCLUDED', at(node), names, reason, until))
    return glob
  })
}
