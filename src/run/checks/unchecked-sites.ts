import { refusingFleetRules } from '../../core/lint/fleet.ts'
import type { LintPolicy } from '../../core/model/desired.ts'
import { type Finding, finding } from '../../core/model/finding.ts'

interface NarrowingOptions {
  readonly site: readonly string[]
  readonly excludeSite?: readonly string[]
  readonly changedSince?: unknown
  readonly shard?: unknown
}

/** A warning where a rule of level error compares all sites, and the options leave some of them out. */
export function uncheckedSites(
  policy: LintPolicy,
  { site, excludeSite = [], changedSince, shard }: NarrowingOptions
): Finding[] {
  const narrowedBy = [
    ...(site.length > 0 ? ['--site'] : []),
    ...(excludeSite.length > 0 ? ['--exclude-site'] : []),
    ...(changedSince === undefined ? [] : ['--changed-since']),
    ...(shard === undefined ? [] : ['--shard'])
  ]
  const rules = refusingFleetRules(policy)
  if (rules.length === 0 || narrowedBy.length === 0) return []
  return [finding('RELATIONS_NOT_CHECKED', {}, rules, narrowedBy)]
}
