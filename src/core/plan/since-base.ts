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
import { isUnset, mapValue, member, type Value, valueAt } from '../values/value.ts'

/** The maximum length of a live value in a message, in UTF-16 code units. */
const MAX_LIVE_VALUE_LENGTH = 200

/**
 * The cause of each changed field: `declaration` if the files declare it differently than the base did,
 * `drift` if only the live value changed. Undefined without a base.
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
 * A warning for each field and WLAN of a site that the base declares and the files do not, with the live
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
 * The state of a site as the base declares it: the live WLANs whose declarations changed, with the fields of the base.
 * Undefined without such WLANs.
 */
export function stateAtBase(
  { sinceBase }: DesiredSite,
  matches: ReadonlyMap<DesiredWlan, Match>,
  live: LiveSite
): LiveSite | undefined {
  if (sinceBase === undefined) return undefined
  const atBase = new Map(
    [...matches].flatMap(([{ key, excluded }, match]) => {
      const fields = sinceBase.wlans.get(key)?.fieldsAtBase
      return fields === undefined || excluded || !('live' in match) ? [] : [[match.live, fields]]
    })
  )
  if (atBase.size === 0) return undefined
  const wlans = live.wlans.map(wlan => {
    const fields = atBase.get(wlan)
    return fields === undefined ? wlan : { ...wlan, record: overlayWlan(wlan.record, fields) }
  })
  return { ...live, wlans }
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
