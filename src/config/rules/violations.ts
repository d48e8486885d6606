import { byCodeUnit } from '../../model/collections.ts'
import { type Finding, finding } from '../../model/finding.ts'
import { child, type Pointer } from '../../model/pointer.ts'
import { at } from '../files/source.ts'
import { limits } from '../limits.ts'
import type { SourceLocation } from '../wlans/references.ts'
import type { Rule } from './read.ts'
import type { RuleError } from './validator.ts'

/** Where a rule is broken, and by which WLANs: a place that several share is one. */
export class Violations {
  readonly #rule: Rule
  readonly #places = new Map<string, Breach>()
  #more = 0

  constructor(rule: Rule) {
    this.#rule = rule
  }

  add(spot: SourceLocation, address: string): void {
    const key = JSON.stringify(spot.at.place)
    const breach = this.#places.get(key)
    if (breach !== undefined) breach.addresses.push(address)
    else if (this.#places.size < limits.broken)
      this.#places.set(key, { spot, addresses: [address] })
    else this.#more += 1
  }

  findings(): Finding[] {
    const { name, message, level, node } = this.#rule
    const shown = [...this.#places.values()].map(breach => {
      const { at, variable } = breach.spot
      const addresses = breach.addresses.sort(byCodeUnit)
      const [address = '', ...others] = addresses
      const where = { ...at, ...(others.length === 0 ? { address } : { addresses }) }
      return finding('RULE_BROKEN', where, name, message, level, addresses, variable)
    })
    if (this.#more === 0) return shown
    return [...shown, finding('RULE_BROKEN_OFTEN', at(node), name, this.#more, level)]
  }
}

interface Breach {
  readonly spot: SourceLocation
  readonly addresses: string[]
}

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
