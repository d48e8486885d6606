import type { Site } from '../core/model/desired.ts'
import { finding } from '../core/model/finding.ts'
import { endOfDay } from '../core/values/time.ts'
import { at } from './files/source.ts'
import type { Findings } from './findings.ts'
import { Budget, limits } from './limits.ts'
import { type DatedEntry, datedEntriesIn } from './policy/waivers.ts'
import { isSite } from './select.ts'
import type { Node } from './yaml/tree.ts'

/** No run reads the sites of the glob `site` until the end of the given day. */
export type DeclaredExclusion = DatedEntry<'site' | 'reason', never>

/** Reads the `excluded_sites` of a policy. Reports invalid entries, and returns the others. */
export function exclusionsIn(node: Node | undefined, findings: Findings): DeclaredExclusion[] {
  return datedEntriesIn(
    node,
    {
      required: ['site', 'reason'],
      optional: [],
      incomplete: (map, key) => finding('EXCLUSION_INCOMPLETE', at(map), key)
    },
    item => finding('EXCLUSIONS_TOO_MANY', at(item), limits.rules),
    findings
  )
}

/** Their ids in lower case. Each exclusion is a finding: an error if it expired, a warning if it matches no site. */
export function excludedSites(
  exclusions: readonly DeclaredExclusion[],
  sites: readonly Site[],
  now: Date,
  findings: Findings
): ReadonlySet<string> {
  const budget = new Budget(limits.globSteps)
  const excluded = new Set<string>()
  for (const { site: glob, reason, until, node } of exclusions) {
    if (now.getTime() > (endOfDay(until) ?? 0)) {
      findings.push(finding('EXCLUSION_EXPIRED', at(node), glob, until))
      continue
    }
    const matching = sites.filter(site => isSite(site, glob, budget))
    const names = matching.map(({ name }) => name)
    if (budget.exhausted) {
      findings.push(finding('GLOBS_TOO_LARGE', at(node), 'excluded_sites'))
      break
    }
    if (names.length === 0) findings.push(finding('EXCLUSION_WITHOUT_SITES', at(node), glob))
    else findings.push(finding('SITES_EXCLUDED', at(node), names, reason, until))
    for (const { id } of matching) excluded.add(id.toLowerCase())
  }
  return excluded
}
