import { type Field, wlanField } from '../../src/core/schema/field.ts'
import { isServiceVariable } from '../../src/core/values/secret.ts'
import { isList, isObject } from '../../src/core/values/value.ts'
import type { Json } from '../../src/simulator/json.ts'
import type { SimulatedSite } from '../../src/simulator/store.ts'

/** Every secret in the records of these sites; no output may contain one. */
export function secretsIn(sites: readonly SimulatedSite[]): string[] {
  return sites.flatMap(({ wlans }) => wlans.flatMap(wlan => secretsOf(wlan, wlanField)))
}

function secretsOf(value: Json, field: Field): string[] {
  if (isList(value)) return value.flatMap(each => secretsOf(each, field.item()))
  if (isObject(value)) {
    return Object.entries(value).flatMap(([name, inner]) => secretsOf(inner, field.member(name)))
  }
  const isText = typeof value === 'string' && value !== '' && !isServiceVariable(value)
  return field.secret && isText ? [value] : []
}
