import { byCodeUnit } from '../../model/collections.ts'
import { type Finding, finding } from '../../model/finding.ts'
import { limits } from '../checks/limits.ts'
import { at } from '../files/source.ts'
import type { SourceLocation } from '../wlans/source-location.ts'
import type { Rule } from './read.ts'

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
