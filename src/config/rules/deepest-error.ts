import { child, type Pointer } from '../../model/pointer.ts'
import type { RuleError } from './validator.ts'

/** What a complaint names of a map that has it too much, by the keywords that forbid it. */
const NAMED = ['additionalProperty', 'unevaluatedProperty', 'propertyName']

/**
 * The field that breaks a rule: the deepest that the schema complains of, the first of several. It is
 * the whole WLAN, `''`, where the complaint is that a field is absent.
 */
export function deepestErrorPath(complaints: readonly RuleError[]): Pointer {
  let deepest = { pointer: '', depth: 0 }
  for (const complaint of complaints) {
    const pointer = placeOf(complaint)
    const depth = pointer.split('/').length - 1
    if (depth > deepest.depth) deepest = { pointer, depth }
  }
  return deepest.pointer
}

function placeOf({ instancePath, params }: RuleError): Pointer {
  for (const key of NAMED) {
    const name = params[key]
    if (typeof name === 'string') return child(instancePath, name)
  }
  return instancePath
}
