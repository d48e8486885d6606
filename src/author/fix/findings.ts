import { matchSite } from '../../core/diff/match.ts'
import { Linter } from '../../core/lint/lint.ts'
import type { FieldEdits } from '../../core/lint/rule.ts'
import type { LintWlan } from '../../core/lint/view.ts'
import {
  type Desired,
  type DesiredSite,
  type DesiredWlan,
  defaultLintPolicy
} from '../../core/model/desired.ts'
import type { FindingLevel } from '../../core/model/finding.ts'
import {
  isInherited,
  type LiveSite,
  type LiveWlan,
  type UnreadSite
} from '../../core/model/live.ts'
import { valueAt } from '../../core/values/value.ts'
import { Waivers } from '../../fleet/policy/waivers.ts'

/** The live state of a site; undefined without one. */
export type LiveOf = (site: DesiredSite) => LiveSite | UnreadSite | undefined

/** A finding of the linter about a declared WLAN, and the edits that resolve it. */
export interface FixableFinding {
  readonly rule: string
  readonly level: FindingLevel
  readonly address: string
  readonly edits: FieldEdits
}

/**
 * The findings about declared WLANs that have a fix and that no waiver covers: those that the policy lists, or with
 * `rules`, all of these. A finding about live values alone is none.
 */
export function fixableFindings(
  { sites, policy, waivers, layersOf }: Desired,
  liveOf: LiveOf,
  rules: readonly string[]
): FixableFinding[] {
  const lint = policy.lint ?? defaultLintPolicy
  const linter = new Linter(rules.length === 0 ? lint : { ...lint, level: 'info' })
  const waived = new Waivers(waivers)
  return sites.flatMap(site => {
    const live = liveWlansOf(site, liveOf)
    const byKey = new Map(site.wlans.map(wlan => [wlan.key, wlan]))
    const linted = site.wlans
      .filter(({ managed }) => managed === undefined)
      .map((wlan): LintWlan => {
        const { key, fields } = wlan
        const record = live.get(wlan)?.record
        return {
          name: key,
          ...(record === undefined || !isInherited(record) ? { declared: fields } : {}),
          ...(record && { live: record }),
          layersOf: pointers => layersOf?.(site, key, pointers) ?? {}
        }
      })
    const found: FixableFinding[] = []
    linter.lintSite({ id: site.id, name: site.name, wlans: linted }, (each, key) => {
      const { rule, level, fields, edits } = each
      const wlan = key === undefined ? undefined : byKey.get(key)
      if (edits === undefined || wlan === undefined || wlan.excluded) return
      if (!fields.some(pointer => valueAt(wlan.fields, pointer) !== undefined)) return
      if (rules.length > 0 && !rules.includes(rule)) return
      if (waived.covering(rule, () => ({ site, wlan: key })) !== undefined) return
      found.push({ rule, level, address: wlan.address, edits })
    })
    return found
  })
}

/** The live WLANs of the declared ones; none for a site that was not read. */
export function liveWlansOf(site: DesiredSite, liveOf: LiveOf): ReadonlyMap<DesiredWlan, LiveWlan> {
  const live = liveOf(site)
  if (live === undefined || !('wlans' in live)) return new Map()
  return new Map(
    [...matchSite(site, live)].flatMap(([wlan, match]) =>
      'live' in match ? [[wlan, match.live] as const] : []
    )
  )
}
