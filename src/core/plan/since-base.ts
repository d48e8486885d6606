import { type Match, matchSite } from '../diff/match.ts'
import { overlayWlan } from '../diff/overlay.ts'
import type { DesiredSite, DesiredWlan, WlanSinceBase } from '../model/desired.ts'
import { type Finding, finding } from '../model/finding.ts'
import type { LiveSite, LiveWlan } from '../model/live.ts'
import { type Cause, type Change, type PatchOperation, patchedPointers } from '../model/plan.ts'
import { fieldAt } from '../schema/field.ts'
import { sortBy } from '../values/collections.ts'
import { overlap, type Pointer } from '../values/pointer.ts'
import { Secret } from '../values/secret.ts'
import { truncate } from '../values/text.ts'
import {
  isList,
  isObject,
  isUnset,
  mapValue,
  member,
  type Value,
  type ValueObject,
  valueAt
} from '../values/value.ts'

const MAX_LIVE_VALUE_LENGTH = 200

/**
 * The cause of each changed field: `declaration` if the files changed it since the base, `drift` if
 * only the live value changed. Undefined without a base.
 */
export function causesOf(
  patch: readonly PatchOperation[],
  key: string,
  { sinceBase }: Pick<DesiredSite, 'sinceBase'>
): Change['causes'] {
  if (sinceBase === undefined) return undefined
  const changed = sinceBase.wlans.get(key)?.changed ?? []
  const causes = patchedPointers(patch).map((path): [Pointer, Cause] => [
    path,
    changed.some(each => overlap(each, path)) ? 'declaration' : 'drift'
  ])
  return Object.fromEntries(causes)
}

/**
 * A warning for each field and WLAN that the base declares and the files do not, with the live
 * value that remains. A WLAN that is not live has none.
 */
export function noLongerDeclared(
  site: DesiredSite,
  matches: ReadonlyMap<DesiredWlan, Match>,
  live: LiveSite
): Finding[] {
  const { sinceBase } = site
  if (sinceBase === undefined) return []
  const managed = [...matches].filter(([wlan]) => wlan.managed === undefined)
  const claimed = new Set(managed.map(([, match]) => 'live' in match && match.live.id))
  return [
    ...[...matches].flatMap(([wlan, match]) => {
      const since = sinceBase.wlans.get(wlan.key)
      if (since === undefined || wlan.excluded || !('live' in match)) return []
      return removedFields(wlan, since, match.live, sinceBase.revision)
    }),
    ...sinceBase.removed.flatMap(wlan => {
      const match = matchSite({ ...site, wlans: [wlan] }, live).get(wlan)
      if (match === undefined || !('live' in match) || claimed.has(match.live.id)) return []
      return removedWlan(site, wlan, match.live, sinceBase.revision)
    })
  ]
}

/**
 * Records of the live WLANs whose declarations changed, with the fields of the base. Their secrets
 * are those of today: what depends on a secret alone counts as unchanged.
 */
export function recordsAtBase(
  { sinceBase }: DesiredSite,
  matches: ReadonlyMap<DesiredWlan, Match>
): ReadonlyMap<LiveWlan, ValueObject> {
  return new Map(
    [...matches].flatMap(([{ key, excluded }, match]) => {
      const fields = sinceBase?.wlans.get(key)?.fieldsAtBase
      if (fields === undefined || excluded || !('live' in match)) return []
      const { live } = match
      return [[live, withSecretsOf(overlayWlan(live.record, fields), live.record)] as const]
    })
  )
}

function withSecretsOf(was: ValueObject, now: ValueObject): ValueObject {
  const secrets = Object.entries(now).filter(([, value]) => value instanceof Secret)
  const members = Object.entries(was).map(
    ([name, value]) => [name, secretsOf(value, member(now, name))] as const
  )
  return Object.fromEntries([...members, ...secrets])
}

function secretsOf(was: Value, now: Value | undefined): Value {
  if (was instanceof Secret) return now ?? was
  if (isList(was)) {
    return isList(now) ? was.map((element, place) => secretsOf(element, now[place])) : was
  }
  return isObject(was) && isObject(now) ? withSecretsOf(was, now) : was
}

/** The maximum number of warnings about removed declarations; further ones are counted. */
const MAX_REMOVED = 5000

/** The findings about removed declarations by address, up to the maximum. */
export function removedFindings(findings: readonly Finding[]): Finding[] {
  const found = sortBy(
    findings.filter(({ code }) => code === 'NO_LONGER_DECLARED'),
    ({ address = '' }) => address,
    ({ message }) => message
  )
  const more = found.length - MAX_REMOVED
  if (more <= 0) return found
  return [...found.slice(0, MAX_REMOVED), finding('MORE_WARNINGS', {}, MAX_REMOVED, more)]
}

function removedFields(
  { address }: DesiredWlan,
  { removed }: WlanSinceBase,
  { record }: LiveWlan,
  revision: string
): Finding[] {
  return removed.map(({ pointer, place }) => {
    const gone = { field: pointer, live: liveText(valueAt(record, pointer), pointer) }
    return finding('NO_LONGER_DECLARED', { address, place }, revision, gone)
  })
}

function removedWlan(
  { name, wlans }: DesiredSite,
  { key, place }: DesiredWlan,
  { id, ssid, record }: LiveWlan,
  revision: string
): Finding {
  const about = { address: `${name}/${key}`, place }
  const isReplaced = wlans.some(wlan => wlan.key === key && wlan.managed === undefined)
  const gone = { ssid, id, enabled: member(record, 'enabled') !== false, isReplaced }
  return finding('NO_LONGER_DECLARED', about, revision, gone)
}

/** A live value as JSON with masked secrets; undefined if there is none. */
export function liveText(value: Value | undefined, pointer: Pointer): string | undefined {
  if (isUnset(value)) return undefined
  if (value instanceof Secret || fieldAt(pointer).secret) return '(secret)'
  const masked = mapValue(value ?? null, inner =>
    inner instanceof Secret ? (inner.empty ? '' : '(secret)') : undefined
  )
  return truncate(JSON.stringify(masked), MAX_LIVE_VALUE_LENGTH)
}
