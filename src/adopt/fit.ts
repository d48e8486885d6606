import { ssidProblem } from '../model/names.ts'
import { overlap, type Pointer, steps } from '../model/pointer.ts'
import type { Value } from '../model/value.ts'
import { type SchemaError, wlanErrors } from '../schema/validate.ts'

type Kind = SchemaError['kind']

/** What the loader refuses; the service may know more names and values than the schema does. */
const hard: readonly Kind[] = ['type', 'range', 'length', 'pattern', 'missing-field']

/** True if a field may be declared with this value. */
export function mayBeDeclared(pointer: Pointer, value: Value): boolean {
  if (pointer !== '/ssid') return fits(pointer, value, hard)
  return typeof value === 'string' && ssidProblem(value) === undefined
}

/** How a field declares that there is nothing; undefined for one that cannot. */
export function nothingAt(pointer: Pointer): Value | undefined {
  const nothings: readonly Value[] = [null, '', [], {}]
  return nothings.find(nothing => fits(pointer, nothing, [...hard, 'enum']))
}

function fits(pointer: Pointer, value: Value, kinds: readonly Kind[]): boolean {
  const wlan = steps(pointer).reduceRight<Value>((inner, step) => ({ [step]: inner }), value)
  return wlanErrors(wlan).every(
    error => !kinds.includes(error.kind) || !overlap(error.pointer, pointer)
  )
}
