import { agrees } from '../../core/diff/agree.ts'
import { changedPointers, diff } from '../../core/diff/diff.ts'
import type { DesiredSite, DesiredWlan, Policy } from '../../core/model/desired.ts'
import { aboutWlan, type Finding, finding } from '../../core/model/finding.ts'
import type { LiveSite, LiveWlan } from '../../core/model/live.ts'
import type { Outcome } from '../../core/model/outcome.ts'
import type { WlanPlan } from '../../core/model/plan.ts'
import { type PlannedSite, planSite } from '../../core/plan/plan.ts'
import { type Field, fieldAt } from '../../core/schema/field.ts'
import { byCodeUnit, groupsBy, sortBy } from '../../core/values/collections.ts'
import { isAtOrBelow, type Pointer, steps } from '../../core/values/pointer.ts'
import { isServiceVariable, Secret } from '../../core/values/secret.ts'
import {
  fromEntries,
  isList,
  isObject,
  member,
  type Value,
  type ValueObject,
  valueAt
} from '../../core/values/value.ts'
import type { Writer } from '../../service/client.ts'
import type { Clock } from '../../service/http/clock.ts'
import { LAG } from '../apply/verify.ts'
import type { PlanRequest } from '../make-plan.ts'
import { fieldsToRestore, type Undo, withMember, withRestored } from './undo.ts'

/** The key of a WLAN: its address without the site. */
export function wlanKeyOf({ address, site }: Pick<Undo, 'address' | 'site'>): string {
  return address.slice(site.name.length + 1)
}

/** The sites with the former values as declared WLANs; `file` is the record. */
export function restoredSites(undos: readonly Undo[], file: string): DesiredSite[] {
  const sites = groupsBy(undos, ({ site }) => site.id.toLowerCase()).flatMap(own => {
    const [first] = own
    return first ? { ...first.site, wlans: own.map(undo => declaredWlan(undo, file)) } : []
  })
  return sortBy(sites, ({ name }) => name)
}

/** The policy of a run on the WLANs and fields of a record only. */
export function restoringPolicy(policy: Policy): Policy {
  return { ...policy, unmanaged: 'ignore', unwatched: 'ignore' }
}

/** The outcome with the former secrets that are lost. */
export function withLostSecrets(outcome: Outcome, lost: readonly Pointer[]): Outcome {
  return lost.length === 0 ? outcome : { ...outcome, notRestored: lost }
}

export function declaredWlan(undo: Omit<Undo, 'changedAt'>, file: string): DesiredWlan {
  const place = { file, line: undo.line, column: 1 }
  return {
    address: undo.address,
    key: wlanKeyOf(undo),
    id: undo.wlanId,
    fields: fieldsToRestore(undo),
    origin: place,
    place
  }
}

export function undoFindings(
  { address, lostSecrets, sideEffects, line }: Omit<Undo, 'changedAt'>,
  file: string
): Finding[] {
  const where = aboutWlan({ address, place: { file, line, column: 1 } })
  return [
    ...(lostSecrets.length === 0 ? [] : [finding('SECRET_NOT_RESTORED', where, lostSecrets)]),
    ...(sideEffects.length === 0 ? [] : [finding('SIDE_EFFECT_STAYS', where, sideEffects)])
  ]
}

/** The values that a run restores in a WLAN, and the last time at which it is known to have had others. */
interface Restored {
  readonly fields: ValueObject
  /** In milliseconds of the run's clock. */
  readonly othersAt: number
  /** The `modified_time` of the record with the others; undefined if no read showed them. */
  readonly modified?: Value | undefined
}

/**
 * The service for a run that restores former values. Reads may lag behind writes: for that time after a WLAN had other
 * values, a read that shows the former ones is no proof that they are live again, so it is repeated when the time is over.
 * A later `modified_time` is a proof at once.
 */
export class RestoringService {
  readonly writer: Writer
  readonly #clock: Clock
  /** By the id of the WLAN in lower case. */
  readonly #restored = new Map<string, Restored>()

  constructor(writer: Writer, clock: Clock) {
    this.#clock = clock
    const reads: Pick<Writer, 'listWlans' | 'readWlan'> = {
      listWlans: site =>
        this.#proven(
          () => writer.listWlans(site),
          live => live.wlans
        ),
      readWlan: (site, id) =>
        this.#proven(
          () => writer.readWlan(site, id),
          live => [live]
        )
    }
    this.writer = Object.assign(Object.create(writer), reads)
  }

  /** Adds the WLANs of a site; `ages`: the milliseconds since each had other values, by address. */
  restore({ wlans }: DesiredSite, ages: (address: string) => number): void {
    for (const { id, address, fields } of wlans) {
      if (id === undefined || Object.keys(fields).length === 0) continue
      const othersAt = this.#clock.now() - Math.max(0, ages(address))
      this.#restored.set(id.toLowerCase(), { fields, othersAt })
    }
  }

  /** The same part of a site, whose WLANs are added: they have other values in the read that it is made from. */
  restoring(narrow: Narrow): Narrow {
    return (site, live) => {
      const part = narrow(site, live)
      this.restore(part, () => 0)
      for (const wlan of live.wlans) this.#provenAt(wlan)
      return part
    }
  }

  async #proven<Read>(
    read: () => Promise<Read>,
    wlansOf: (found: Read) => readonly LiveWlan[]
  ): Promise<Read> {
    const first = await read()
    const provenAt = wlansOf(first).reduce(
      (last, wlan) => Math.max(last, this.#provenAt(wlan)),
      NOW
    )
    if (provenAt === NOW) return first
    const wait = provenAt - this.#clock.now()
    if (wait > 0) await this.#clock.sleep(wait)
    const second = await read()
    for (const wlan of wlansOf(second)) this.#provenAt(wlan)
    return second
  }

  /** The time of the run's clock from which a read is a proof of what this one shows; `NOW` if this one is. */
  #provenAt({ id, record, readAt }: LiveWlan): number {
    const restored = this.#restored.get(id.toLowerCase())
    if (restored === undefined) return NOW
    const modified = member(record, 'modified_time')
    if (diff(restored.fields, record).patch.length > 0) {
      this.#restored.set(id.toLowerCase(), { ...restored, othersAt: this.#clock.now(), modified })
      return NOW
    }
    const { othersAt, modified: before } = restored
    const isLater = typeof modified === 'number' && typeof before === 'number' && modified > before
    return isLater || readAt >= othersAt + LAG ? NOW : othersAt + LAG
  }
}

const NOW = Number.NEGATIVE_INFINITY

type Narrow = NonNullable<PlanRequest['narrow']>

/** Plans a site like any other, but blocks WLANs with fields that changed since the run. */
export function planUndo(
  site: DesiredSite,
  live: LiveSite,
  undone: ReadonlyMap<string, Undo>
): PlannedSite {
  const planned = planSite(site, live)
  const blockedIfChanged = (verdict: WlanPlan): WlanPlan => {
    const undo = undone.get(verdict.address)
    if (verdict.status !== 'changed' || undo === undefined) return verdict
    const fields = changedSince(undo, verdict.live.record)
    if (fields.length === 0) return verdict
    const reason = finding('CHANGED_SINCE', aboutWlan(verdict.desired), fields)
    return { status: 'blocked', address: verdict.address, finding: reason }
  }
  return { ...planned, wlanPlans: planned.wlanPlans.map(blockedIfChanged) }
}

/** The fields that have neither the value after the runs nor the value before them, sorted. */
export function changedSince(undo: Undo, live: ValueObject): Pointer[] {
  const { fields } = undo
  return [...fields]
    .filter(([pointer, field]) => {
      if (diff(withRestored({}, pointer, field), live).patch.length === 0) return false
      const left = 'found' in field ? [field.after, field.found] : [field.after]
      const ignored = addedByService(pointer, field.before, undo.sideEffects)
      return !left.some(value => isUnchanged(pointer, value, live, ignored))
    })
    .map(([pointer]) => pointer)
    .sort(byCodeUnit)
}

/**
 * The side effects within a field that need no restoration: the service filled in members that were absent
 * before. A record is not trusted, so any other side effect counts.
 */
function addedByService(
  pointer: Pointer,
  before: Value | undefined,
  sideEffects: readonly Pointer[]
): Pointer[] {
  return sideEffects.filter(
    at =>
      at.startsWith(`${pointer}/`) &&
      (before === undefined || valueAt(before, at.slice(pointer.length)) === undefined)
  )
}

/** True if the live field has the value after the runs; ignores secrets, since a record contains none. */
function isUnchanged(
  pointer: Pointer,
  value: Value | undefined,
  live: ValueObject,
  ignored: readonly Pointer[]
): boolean {
  const field = fieldAt(pointer)
  const left = withoutSecrets(field, value)
  const found = withoutSecrets(field, valueAt(live, pointer))
  const holding = (each: Value | undefined) => withMember({}, steps(pointer), each ?? null)
  const [before, after] = [holding(left), holding(found)]
  const others = changedPointers(before, after).filter(
    at => !ignored.some(each => isAtOrBelow(at, each))
  )
  return agrees(field, found, left ?? null) && others.length === 0
}

/** The value without its secrets: known, hidden or referenced. */
function withoutSecrets(field: Field, value: Value | undefined): Value | undefined {
  if (value instanceof Secret) return undefined
  if (isList(value)) {
    if (field.item().secret) return value.every(isServiceVariable) ? value : undefined
    return value.map(element => withoutSecrets(field.item(), element) ?? null)
  }
  if (!isObject(value)) return field.secret && !isServiceVariable(value) ? undefined : value
  return fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const kept = withoutSecrets(field.member(name), inner)
      return kept === undefined ? [] : [[name, kept] as const]
    })
  )
}
