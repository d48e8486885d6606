import type { LiveSite, LiveWlan } from '../../core/model/live.ts'
import { Secret } from '../../core/values/secret.ts'
import { sameId } from '../../core/values/uuid.ts'
import { isList, isObject, member, type Value, type ValueObject } from '../../core/values/value.ts'

/**
 * The record of a live WLAN as the base declares it; see `stateAtBase`. Undefined if that is the same. Its secrets are those
 * of today: what depends on a secret alone counts as unchanged.
 */
export function recordAtBase(
  atBase: LiveSite | undefined,
  { id, record }: LiveWlan
): ValueObject | undefined {
  const was = atBase?.wlans.find(each => sameId(each.id, id))?.record
  if (was === undefined || was === record) return undefined
  return withSecretsOf(was, record) as ValueObject
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
