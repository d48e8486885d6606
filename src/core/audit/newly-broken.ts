import { findingsOf, Linter, type LintFinding } from '../lint/lint.ts'
import type { BrokenRule } from '../model/audit.ts'
import type { LiveSite } from '../model/live.ts'
import { brokenRules, namedWlans } from './auditor.ts'

/**
 * The rules about single networks and sites that these sites break in the later state, and not or less severely in the
 * earlier one, without notes. Rules that compare all sites are not evaluated.
 */
export function newlyBroken(
  before: readonly LiveSite[],
  after: readonly LiveSite[],
  isSelected: (found: LintFinding) => boolean
): readonly BrokenRule[] {
  const linter = new Linter()
  const earlier = new Map(before.map(live => [live.site.id.toLowerCase(), live]))
  return brokenRules(
    after.flatMap(live => {
      const was = earlier.get(live.site.id.toLowerCase())
      const wlans = namedWlans(live.wlans)
      const names = new Map(wlans.map(({ id, name }) => [id, name]))
      const known = (was === undefined ? [] : namedWlans(was.wlans)).map(wlan => ({
        ...wlan,
        name: names.get(wlan.id) ?? wlan.name
      }))
      const found = new Set(findingsOf(linter, { ...live.site, wlans: known }).map(keyOf))
      return findingsOf(linter, { ...live.site, wlans }).filter(
        each => isCertain(each) && !found.has(keyOf(each)) && isSelected(each)
      )
    })
  )
}

/** States hold no values of secrets. */
function isCertain({ level, fromSecret }: LintFinding): boolean {
  return level !== 'info' && fromSecret === undefined
}

function keyOf({ rule, level, wlan }: LintFinding): string {
  return JSON.stringify([rule, level, wlan])
}
