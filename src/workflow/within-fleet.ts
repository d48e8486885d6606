import type { Undo } from '../apply/record/undo.ts'
import type { RuleSet } from '../config/rules/rule-set.ts'
import { byCodeUnit } from '../model/collections.ts'
import type { Desired, DesiredSite, Policy } from '../model/desired.ts'
import { exit, Failure } from '../model/failure.ts'
import { aboutWlan, type Finding, finding } from '../model/finding.ts'
import type { LiveSite } from '../model/live.ts'
import type { PlannedChange, WlanPlan } from '../model/plan.ts'
import { plural } from '../model/text.ts'
import type { ValueObject } from '../model/value.ts'
import { matchSite } from '../plan/match.ts'
import type { PlannedSite } from '../plan/plan.ts'

/** A fleet whose policy, rules and protection hold for what a record would undo. */
export interface Fleet {
  readonly desired: Desired
  readonly rules: RuleSet
}

/** More sites than these are counted. */
const SHOWN = 5

/** Throws (exit 4) if the record is about sites that the fleet does not declare. */
export function refuseStrangers(undos: readonly Undo[], { desired }: Fleet, file: string): void {
  const declared = new Set(desired.sites.map(({ id }) => id.toLowerCase()))
  const strangers = undos.filter(({ site }) => !declared.has(site.id.toLowerCase()))
  const names = [...new Set(strangers.map(({ site }) => `${site.name} (${site.id})`))]
  if (names.length === 0) return
  const shown = names.sort(byCodeUnit).slice(0, SHOWN).join(', ')
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : ''
  throw new Failure(
    exit.refused,
    `refused: ${file} is about ${plural(names.length, 'site')} that the fleet does not declare: ${shown}${more}; nothing was sent`,
    'name the fleet that declares them, narrow the run with --site, or give --without-fleet'
  )
}

/** The policy of the fleet, for a run that is about the WLANs of a record alone. */
export function policyOf({ desired }: Fleet): Policy {
  return { ...desired.policy, unmanaged: 'ignore' }
}

/** How many WLANs the fleet declares: what the limits of its policy are about. */
export function declaredIn({ desired }: Fleet): number {
  return desired.sites.reduce((sum, { wlans }) => sum + wlans.length, 0)
}

/**
 * Holds what was planned for a site against the fleet: a WLAN that it protects is marked, and a rule that
 * a WLAN would break and does not break now goes to `findings`.
 */
export function guarded(
  planned: PlannedSite,
  live: LiveSite,
  { desired, rules }: Fleet,
  findings: Finding[]
): PlannedSite {
  const id = live.site.id.toLowerCase()
  const site = desired.sites.find(each => each.id.toLowerCase() === id)
  const held = site === undefined ? new Set<string>() : protectedIn(site, live)
  const guard = (verdict: WlanPlan): WlanPlan => {
    if (verdict.status !== 'changed') return verdict
    findings.push(...newlyBroken(verdict, rules))
    if (!held.has(verdict.live.id.toLowerCase())) return verdict
    return { ...verdict, desired: { ...verdict.desired, protect: true } }
  }
  return { ...planned, verdicts: planned.verdicts.map(guard) }
}

/** The live WLANs that the fleet protects, by id in lower case. */
function protectedIn(site: DesiredSite, live: LiveSite): Set<string> {
  const matches = [...matchSite(site, live)].filter(([{ protect }]) => protect)
  return new Set(
    matches.flatMap(([, match]) => {
      const wlan = 'live' in match ? match.live : match.contested
      return wlan === undefined ? [] : wlan.id.toLowerCase()
    })
  )
}

function newlyBroken({ change, desired, live }: PlannedChange, rules: RuleSet): Finding[] {
  const after: ValueObject = { ...live.record, ...change.request.body }
  const broken = rules.breaking(after)
  if (broken.length === 0) return []
  const before = new Set(rules.breaking(live.record))
  return broken
    .filter(rule => !before.has(rule))
    .map(({ name, message, level }) =>
      finding('RULE_BROKEN', aboutWlan(desired), name, message, level, [change.address], undefined)
    )
}
