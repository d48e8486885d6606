import { overlayWlan } from '../../core/diff/overlay.ts'
import { Linter } from '../../core/lint/lint.ts'
import type { RuleFinding } from '../../core/lint/rule-finding.ts'
import type { LintWlan } from '../../core/lint/view.ts'
import type { LintPolicy, Site } from '../../core/model/desired.ts'
import type { LiveSite, LiveWlan } from '../../core/model/live.ts'
import { Secret } from '../../core/values/secret.ts'
import { sameId } from '../../core/values/uuid.ts'
import { isList, isObject, member, type Value, type ValueObject } from '../../core/values/value.ts'

/**
 * The record of a live WLAN as the base declares it; see `stateAtBase`. Its secrets are those of today: what depends on a
 * secret alone counts as unchanged.
 */
export function recordAtBase({ wlans }: LiveSite, now: LiveWlan): ValueObject {
  const was = wlans.find(({ id }) => sameId(id, now.id)) ?? now
  return withSecretsOf(was.record, now.record) as ValueObject
}

function withSecretsOf(was: Value, now: Value | undefined): Value {
  if (was instanceof Secret) return now ?? was
  if (isList(was)) {
    return isList(now) ? was.map((element, place) => withSecretsOf(element, now[place])) : was
  }
  if (!isObject(was) || !isObject(now)) return was
  const secrets = Object.entries(now).filter(([, value]) => value instanceof Secret)
  const members = Object.entries(was).map(
    ([name, value]) => [name, withSecretsOf(value, member(now, name))] as const
  )
  return Object.fromEntries([...members, ...secrets])
}

/** Tells whether an existing finding about this WLAN, or about its site, is new since the base. */
export type IsNew = (found: RuleFinding, wlan: string | undefined) => boolean

/** Lints the change from what the base declares of a site to the present state, to tell which existing findings are new. */
export class BaseLinter {
  readonly #linter: Linter

  constructor(policy: LintPolicy) {
    this.#linter = new Linter({ ...policy, level: 'info' })
  }

  /** `wlans`: those of the live site, in its order. */
  newSince(
    { id, name }: Site,
    { wlans: live }: LiveSite,
    wlans: readonly LintWlan[],
    atBase: LiveSite
  ): IsNew {
    const found = new Set<string>()
    const changed = wlans.map((wlan, place) => changedSince(wlan, live[place], atBase))
    this.#linter.lintSite({ id, name, wlans: changed }, (each, wlan) => {
      if (!each.existing) found.add(keyOf(each, wlan))
    })
    return (each, wlan) => found.has(keyOf(each, wlan))
  }
}

/** The WLAN as if the files declared all of its present state, and that of the base were live. */
function changedSince(
  { name, declared, live }: LintWlan,
  wlan: LiveWlan | undefined,
  atBase: LiveSite
): LintWlan {
  const now = overlayWlan(live ?? {}, declared ?? {})
  const was = wlan === undefined ? {} : recordAtBase(atBase, wlan)
  return { name, declared: withoutOthers(now, was), live: was }
}

/** The value with a `null` for each member that only the earlier one has, at any depth. */
function withoutOthers(now: ValueObject, was: ValueObject): ValueObject {
  const gone = Object.keys(was).filter(name => member(now, name) === undefined)
  const members = Object.entries(now).map(([name, value]) => {
    const before = member(was, name)
    const isCompared = isObject(value) && isObject(before)
    return [name, isCompared ? withoutOthers(value, before) : value] as const
  })
  return Object.fromEntries([...gone.map(name => [name, null] as const), ...members])
}

function keyOf({ rule, fields }: RuleFinding, wlan: string | undefined): string {
  return JSON.stringify([rule, wlan, fields])
}
