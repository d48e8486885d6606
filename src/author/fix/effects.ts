import { diff } from '../../core/diff/diff.ts'
import { overlayWlan } from '../../core/diff/overlay.ts'
import type { Period } from '../../core/model/calendar.ts'
import type { Desired, DesiredSite, DesiredWlan } from '../../core/model/desired.ts'
import type { Impact } from '../../core/model/impact.ts'
import type { LiveSite } from '../../core/model/live.ts'
import type { WlanPlan } from '../../core/model/plan.ts'
import { effectsOf } from '../../core/plan/effects/effects.ts'
import { planSite } from '../../core/plan/plan.ts'
import { unwatchedFields } from '../../core/plan/undeclared/undeclared.ts'
import { fieldAt } from '../../core/schema/field.ts'
import { isUsed, readFrom } from '../../core/schema/in-use.ts'
import { compact } from '../../core/values/collections.ts'
import type { Pointer } from '../../core/values/pointer.ts'
import { isSameJson, type ValueObject, valueAt } from '../../core/values/value.ts'
import { mergedPointers } from '../../fleet/wlans/layers.ts'
import { differences } from '../adopt/verify.ts'
import { type LiveOf, liveWlansOf } from './findings.ts'

/** Why edits of the files are not safe for a WLAN. */
export interface UnsafeEffect {
  readonly pointers: readonly Pointer[]
  readonly reason: string
  /** Absent if no client would notice. */
  readonly impact?: Impact
}

export const NOT_KNOWN = 'whether the network stays as it is shows only with --live or --against'
const NOT_READ = 'the live network could not be compared'
const PLANNED = 'the plan would change'
const UNWATCHED = 'less would be watched'

/**
 * The WLANs, by address, whose networks would not certainly stay as they are, or that would be watched less. With a live
 * record, both fleets are planned: the patches and the watched fields must be the same. Without one, the declared
 * fields must be the same.
 */
export function unsafeEffects(
  before: Desired,
  after: Desired,
  liveOf: LiveOf,
  now: Date
): ReadonlyMap<string, UnsafeEffect> {
  const bySite = new Map(after.sites.map(site => [site.name, site]))
  return new Map(
    before.sites.flatMap(site => {
      const edited = bySite.get(site.name)
      const byKey = new Map(edited?.wlans.map(wlan => [wlan.key, wlan]))
      const changed = site.wlans.filter(wlan => !isSameWlan(wlan, byKey.get(wlan.key), now))
      if (changed.length === 0) return []
      const compare = siteComparison(site, edited, liveOf)
      return changed.flatMap(wlan => {
        const effect = compare(wlan, byKey.get(wlan.key))
        return effect === undefined ? [] : [[wlan.address, effect] as const]
      })
    })
  )
}

function isSameWlan(a: DesiredWlan, b: DesiredWlan | undefined, now: Date): boolean {
  const isToCome = ({ until }: Period) => Date.parse(until) > now.getTime()
  const facts = (wlan: DesiredWlan | undefined) =>
    JSON.stringify([
      wlan?.periods?.filter(isToCome) ?? [],
      wlan?.id,
      wlan?.matchSsid,
      wlan?.protect,
      wlan?.managed
    ])
  return differences(a.fields, b?.fields, '').length === 0 && facts(a) === facts(b)
}

type Compare = (a: DesiredWlan, b: DesiredWlan | undefined) => UnsafeEffect | undefined

function siteComparison(
  site: DesiredSite,
  edited: DesiredSite | undefined,
  liveOf: LiveOf
): Compare {
  const live = liveOf(site)
  const records = liveWlansOf(site, liveOf)
  const isRead = live !== undefined && 'wlans' in live
  const plans = isRead ? plansByAddress(site, live) : undefined
  const later = isRead && edited ? plansByAddress(edited, live) : undefined
  return (a, b) => {
    const changed = differences(a.fields, b?.fields, '')
    const record = records.get(a)?.record
    const impact = b && impactOf(a.fields, b.fields, record ?? {})
    const unsafe = (pointers: readonly Pointer[], reason: string) =>
      pointers.length === 0 ? undefined : { pointers, reason, ...compact({ impact }) }
    if (b === undefined || record === undefined || plans === undefined) {
      const pointers = changed.length === 0 ? [''] : changed
      return unsafe(pointers, live === undefined ? NOT_KNOWN : NOT_READ)
    }
    const [was, is] = [planFacts(plans.get(a.address)), planFacts(later?.get(b.address))]
    const planned = [...new Set([...was.keys(), ...is.keys()])].filter(
      pointer => was.get(pointer) !== is.get(pointer)
    )
    const merged = readFrom(overlayWlan(record, a.fields))
    const removed = changed
      .filter(pointer => valueAt(b.fields, pointer) === undefined)
      .flatMap(pointer => mergedPointers(valueAt(a.fields, pointer), fieldAt(pointer), pointer))
      .filter(pointer => isUsed(pointer, merged))
    const known = new Set(unwatchedFields(a.fields, record))
    const unwatched = unwatchedFields(b.fields, record).filter(pointer => !known.has(pointer))
    return unsafe(planned, PLANNED) ?? unsafe([...removed, ...unwatched], UNWATCHED)
  }
}

function plansByAddress(site: DesiredSite, live: LiveSite): ReadonlyMap<string, WlanPlan> {
  return new Map(planSite(site, live).wlanPlans.map(plan => [plan.address, plan]))
}

/** What a plan says about each field of a WLAN, and about the whole, as JSON. */
function planFacts(plan: WlanPlan | undefined): ReadonlyMap<Pointer, string> {
  const facts = new Map<Pointer, string>([['', plan?.status === 'blocked' ? 'blocked' : 'planned']])
  if (plan?.status === 'unchanged') {
    for (const pointer of plan.notCompared) facts.set(pointer, 'not compared')
  }
  if (plan?.status !== 'changed') return facts
  for (const operation of plan.change.patch) {
    const { path } = operation
    facts.set(path, `${facts.get(path) ?? ''}${JSON.stringify(operation)}`)
  }
  return facts
}

function impactOf(
  before: ValueObject,
  after: ValueObject,
  record: ValueObject
): Impact | undefined {
  const base = overlayWlan(record, before)
  const { patch } = diff(after, base)
  return isSameJson(before, after) ? undefined : effectsOf(patch, base).impact
}
