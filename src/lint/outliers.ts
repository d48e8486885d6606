import type { Outlier } from '../model/audit.ts'
import { byCodeUnit } from '../model/collections.ts'
import type { Pointer } from '../model/pointer.ts'
import { Secret } from '../model/secret.ts'
import { isEmpty, isList, isObject, type Value } from '../model/value.ts'
import { fieldAt, guardFields } from '../schema/field.ts'
import { clearMajority } from './networks.ts'
import type { WlanView } from './view.ts'

/** The guard fields without secrets, and others that users notice. */
const comparedFields: readonly Pointer[] = [
  ...new Set([...guardFields, '/vlan_id', '/bands', '/hide_ssid'])
].filter(isComparable)

/** Objects and lists of objects have names or addresses that sites choose in their own way. */
function isComparable(pointer: Pointer): boolean {
  const field = fieldAt(pointer)
  const hasMembers = [field, field.item()].some(each => each.memberNames().length > 0)
  return !field.secret && !hasMembers
}

interface SharedValue {
  readonly value: Value
  readonly sites: string[]
}

/** Finds fields of a network that a few sites have in another way than most. It keeps no records. */
export class OutlierTable {
  /** The values by SSID, by field and by their text. */
  readonly #values = new Map<string, Map<Pointer, Map<string, SharedValue>>>()

  /** Adds a WLAN that is not disabled. Unknown values and lists of objects are not compared. */
  add(site: string, view: WlanView): void {
    const ssid = view.text('/ssid')
    if (ssid === undefined) return
    const fields = this.#values.get(ssid) ?? new Map<Pointer, Map<string, SharedValue>>()
    this.#values.set(ssid, fields)
    for (const pointer of comparedFields) {
      const value = comparable(view, pointer)
      if (value === undefined) continue
      const values = fields.get(pointer) ?? new Map<string, SharedValue>()
      fields.set(pointer, values)
      const text = JSON.stringify(value)
      const known = values.get(text)
      if (known === undefined) values.set(text, { value, sites: [site] })
      else known.sites.push(site)
    }
  }

  /** By SSID, then in the order of the schema. */
  outliers(): Outlier[] {
    return [...this.#values]
      .sort(([a], [b]) => byCodeUnit(a, b))
      .flatMap(([ssid, fields]) =>
        comparedFields.flatMap(field => {
          const values = fields.get(field)
          return values === undefined ? [] : outlierOf(ssid, field, [...values.values()])
        })
      )
  }
}

function outlierOf(ssid: string, field: Pointer, values: readonly SharedValue[]): Outlier[] {
  if (values.length < 2) return []
  const usual = clearMajority(values.map(each => [each, each.sites.length] as const))
  if (usual === undefined) return []
  const others = values.filter(each => each !== usual)
  return [{ ssid, field, usual: usual.value, usualCount: usual.sites.length, others }]
}

/** The value with its default; a set of texts in one order. */
function comparable(view: WlanView, pointer: Pointer): Value | undefined {
  const value = view.written(pointer)
  if (value === undefined || value instanceof Secret || isObject(value)) return undefined
  if (isEmpty(value)) return null
  if (!isList(value)) return value
  if (value.some(each => typeof each === 'object' && each !== null)) return undefined
  return view.field(pointer).compare === 'set' ? [...value].sort() : value
}
