import { matchSite } from '../../core/diff/match.ts'
import { overlayWlan } from '../../core/diff/overlay.ts'
import { recordChanges } from '../../core/diff/record-changes.ts'
import type { DesiredSite, DesiredWlan, Site } from '../../core/model/desired.ts'
import { wrongInput } from '../../core/model/failure.ts'
import { aboutWlan, type Finding, finding } from '../../core/model/finding.ts'
import { isInherited, type LiveSite, type LiveWlan } from '../../core/model/live.ts'
import { fieldAt, wlanField } from '../../core/schema/field.ts'
import { wlanErrors } from '../../core/schema/validate.ts'
import { append, byCodeUnit, groupBy } from '../../core/values/collections.ts'
import { partAt, withValueAt } from '../../core/values/draft.ts'
import {
  above,
  fieldName,
  fieldNames,
  type Pointer,
  topLevelField
} from '../../core/values/pointer.ts'
import { sameId } from '../../core/values/uuid.ts'
import {
  fromEntries,
  isUnset,
  member,
  secretsWithin,
  type Value,
  type ValueObject,
  valueAt
} from '../../core/values/value.ts'
import { refuseOtherOrganization, type Snapshot, sitesIn } from '../../files/snapshot.ts'
import { coversSite, isSelected, type Selection } from '../../fleet/select.ts'
import { restoredValue } from './restore.ts'
import { fieldsToRestore, type UndoneField } from './undo.ts'
import { declaredWlan, undoFindings } from './undo-plan.ts'

export interface RestoreSelection extends Omit<Selection, 'ids'> {
  /** Only fields at or below these pointers; all if there are none. */
  readonly fields: readonly Pointer[]
}

/**
 * Declares the networks of a state as they were, once their sites are read. Networks that the fleet declares have their
 * keys, others their SSIDs.
 *
 * | differs from live                                            | restored                                     |
 * |--------------------------------------------------------------|----------------------------------------------|
 * | a field                                                      | as `revert` restores one of a record         |
 * | a field that only the service sets                           | never                                        |
 * | a secret                                                     | no: a state has none; it is a finding, which     |
 * |                                                              | fails no run if nothing else differs             |
 * | a field next to a secret that live does not show             | no: it may need the secret; a finding        |
 * | a field or value that the schema lacks                       | no; a finding                                |
 * | a network or site that only one side has                     | no; a finding                                |
 */
export class StateRestorer {
  /** The networks without fields: those to read. */
  readonly sites: readonly DesiredSite[]
  /** What is not restored; complete once all sites are narrowed. */
  readonly findings: Finding[] = []
  readonly #name: string
  readonly #selection: RestoreSelection
  readonly #declared: readonly DesiredSite[]
  readonly #stored = new Map<string, LiveSite>()
  readonly #lostSecrets = new Map<string, readonly Pointer[]>()

  /**
   * `name`: that of the state, for messages. `declared`: the sites of the fleet; others have the names of the state. Throws
   * a `Failure` (exit 3) if a network names another site than its own.
   */
  constructor(
    state: Snapshot,
    name: string,
    declared: readonly DesiredSite[],
    selection: RestoreSelection
  ) {
    this.#name = name
    this.#selection = selection
    this.#declared = declared
    const unknown = selection.fields.find(pointer => !fieldAt(pointer).known)
    if (unknown !== undefined)
      throw wrongInput(`unknown field ${fieldName(unknown)}; nothing was sent`)
    const read = sitesIn(state)
    const others = state.sites.filter(({ id }) => !declared.some(site => sameId(site.id, id)))
    this.sites = [...declared, ...others.map(({ id, name }) => ({ id, name, wlans: [] }))]
      .filter(site => coversSite(selection, site))
      .flatMap(site => {
        const stored = read(site)
        if ('wlans' in stored) return this.#siteOf(site, stored)
        const isNarrowed = (selection.wlans ?? []).length > 0
        if (!isNarrowed || site.wlans.some(({ key }) => isSelected(selection, site, key))) {
          const { name: address } = site
          this.findings.push(finding('NOT_RESTORED', { address }, 'site', stored.reason))
        }
        return []
      })
  }

  /** The secrets of a network that stay as they are. */
  lostSecrets(address: string): readonly Pointer[] {
    return this.#lostSecrets.get(address) ?? []
  }

  /** The site with the fields to restore. Throws a `Failure` (exit 3) if the state is of another organization. */
  narrow(site: DesiredSite, live: LiveSite): DesiredSite {
    const state = this.#stored.get(site.id.toLowerCase())
    if (state !== undefined) refuseOtherOrganization(this.#name, state, live)
    const stored = state?.wlans ?? []
    const wlans = site.wlans.map(wlan => {
      const isOwn = ({ id }: LiveWlan) => sameId(id, wlan.id ?? '')
      const [was, is] = [stored.find(isOwn), live.wlans.find(isOwn)]
      return was && is ? this.#restored(site, wlan, was, is) : wlan
    })
    for (const [{ id }, key] of this.#keysOf(site, live)) {
      if (stored.some(was => sameId(was.id, id)) || !isSelected(this.#selection, site, key))
        continue
      this.findings.push(finding('NOT_RESTORED', { address: `${site.name}/${key}` }, 'network'))
    }
    return { ...site, wlans }
  }

  #siteOf(site: DesiredSite, stored: LiveSite): DesiredSite[] {
    this.#stored.set(site.id.toLowerCase(), stored)
    const wlans = [...this.#keysOf(site, stored)].flatMap(([{ id, ssid, record }, key]) => {
      if (!isSelected(this.#selection, site, key)) return []
      const siteId = member(record, 'site_id')
      if (typeof siteId === 'string' && !sameId(siteId, site.id) && !isInherited(record)) {
        throw wrongInput(
          `${this.#name}: the network ${ssid} of ${site.name} names another site: ${siteId}`,
          'take a new snapshot; nothing was sent'
        )
      }
      return this.#declare(site, key, id, new Map())
    })
    const isNarrowed = (this.#selection.wlans ?? []).length > 0
    return isNarrowed && wlans.length === 0 ? [] : [{ ...site, wlans }]
  }

  /** The networks by their keys in the fleet, or their SSIDs, each with its id where several would have the same. */
  #keysOf(site: DesiredSite, live: LiveSite): ReadonlyMap<LiveWlan, string> {
    const declared = this.#declared.find(({ id }) => sameId(id, site.id))
    const matches = declared === undefined ? [] : [...matchSite(declared, live)]
    const keys = new Map(
      matches.flatMap(([{ key }, match]) => ('live' in match ? [[match.live, key] as const] : []))
    )
    const named = live.wlans.map(wlan => [wlan, keys.get(wlan) ?? wlan.ssid] as const)
    const byKey = groupBy(named, ([, key]) => key)
    return new Map(
      named.map(([wlan, key]) => [wlan, byKey.get(key)?.length === 1 ? key : `${key}:${wlan.id}`])
    )
  }

  #declare(
    { id, name }: Site,
    key: string,
    wlanId: string,
    fields: ReadonlyMap<Pointer, UndoneField>,
    lostSecrets: readonly Pointer[] = [],
    isSame = false
  ): DesiredWlan {
    const address = `${name}/${key}`
    const about = { address, site: { id, name }, wlanId, line: 1 }
    const undo = { ...about, fields, lostSecrets, sideEffects: [] }
    this.#lostSecrets.set(address, lostSecrets)
    const level = isSame ? { level: 'info' as const } : {}
    append(
      this.findings,
      undoFindings(undo, this.#name).map(found => ({ ...found, ...level }))
    )
    return declaredWlan(undo, this.#name)
  }

  #restored(site: Site, wlan: DesiredWlan, was: LiveWlan, is: LiveWlan): DesiredWlan {
    const { fields: chosen } = this.#selection
    const part = (record: ValueObject) =>
      chosen.length === 0 ? writable(record) : partAt(writable(record), chosen)
    const [before, after] = [part(was.record), part(is.record)]
    const lost = new Set([...secretsOf(before), ...secretsOf(after)])
    const missing = secretsOf(before).filter(pointer => isUnset(valueAt(after, pointer)))
    const withoutSecret = new Set(missing.map(topLevelField))
    const changed = changedFields(after, before)
    const fields = new Map<Pointer, UndoneField>()
    const left = { unknown: [] as Pointer[], secret: [] as Pointer[] }
    for (const pointer of changed) {
      const [old, now] = [before, after].map(record => valueAt(record, pointer) ?? undefined)
      if (restoredValue(fieldAt(pointer), old, now) === undefined) lost.add(pointer)
      else if (withoutSecret.has(topLevelField(pointer))) left.secret.push(pointer)
      else if (!isKnown(pointer, old)) left.unknown.push(pointer)
      else fields.set(pointer, { before: old, after: now })
    }
    const named = new Set([...lost, ...left.secret, ...left.unknown])
    const aboveNamed = new Set([...named].flatMap(above))
    const isNamed = (at: Pointer) =>
      named.has(at) || aboveNamed.has(at) || above(at).some(parent => named.has(parent))
    const result = overlayWlan(after, fieldsToRestore({ fields }))
    // A value may be one that no declaration brings back, such as an empty entry in a list of secrets.
    for (const pointer of changedFields(result, before)) {
      if (!isNamed(pointer)) left.unknown.push(pointer)
    }
    for (const why of ['secret', 'unknown'] as const) {
      if (left[why].length === 0) continue
      this.findings.push(finding('NOT_RESTORED', aboutWlan(wlan), why, fieldNames(left[why])))
    }
    const isSame = changed.size + missing.length + chosen.length === 0
    return this.#declare(site, wlan.key, is.id, fields, [...lost].sort(byCodeUnit), isSame)
  }
}

function writable(record: ValueObject): ValueObject {
  const entries = Object.entries(record)
  return fromEntries(entries.filter(([name]) => !wlanField.member(name).readOnly))
}

function changedFields(was: ValueObject, is: ValueObject): ReadonlySet<Pointer> {
  return new Set(recordChanges(was, is).patch.map(({ path }) => path))
}

function secretsOf(record: ValueObject): Pointer[] {
  return [...secretsWithin(record)].flatMap(([at, { empty }]) => (empty ? [] : at))
}

/** True if the schema knows the field and allows the value. */
function isKnown(pointer: Pointer, value: Value | undefined): boolean {
  if (!fieldAt(pointer).known) return false
  return value === undefined || wlanErrors(withValueAt({}, pointer, value)).length === 0
}
